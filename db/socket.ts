/** Part of the name of Postgres's socket (`.s.PGSQL.5432`), and its port if it has one. */
const POSTGRES_PORT = 5432

/**
 * The options that postgres.js needs in addition to the URL: `postgres(url, { ...socketOptions(url) })`. Unlike libpq,
 * it does not decode a socket's directory in a URL's host, and would look it up in the DNS. Empty for any other URL.
 */
export function socketOptions(url: string): { host?: string; port?: number } {
  const { hostname, port } = new URL(url)
  return hostname.toLowerCase().startsWith("%2f")
    ? { host: decodeURIComponent(hostname), port: Number(port || POSTGRES_PORT) }
    : {}
}
