/**
 * How a parameter of a database's URL is handled: it is read; it has no effect; it belongs to another program and is
 * ignored with a warning; or libpq reads it, and only some values work here.
 */
export type Use = "read" | "without effect" | "ignored" | { accepts: readonly string[]; otherwise: string }

/** The allowed values of some parameters. */
export const choices = {
  /** `no-verify` comes from node-postgres and Heroku's documentation. */
  sslmode: ["disable", "allow", "prefer", "require", "no-verify", "verify-ca", "verify-full"],
  ssl: ["true", "1", "no-verify", "false", "0"],
  channel_binding: ["disable", "prefer", "require"],
  target_session_attrs: ["any", "read-write", "primary"],
  ssl_min_protocol_version: ["TLSv1.2", "TLSv1.3"],
  ssl_max_protocol_version: ["TLSv1.2", "TLSv1.3"],
  sslnegotiation: ["postgres", "direct"],
} as const

const all = (use: Use, names: string): Record<string, Use> =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, use]),
  )

/**
 * Every known parameter: libpq's (https://www.postgresql.org/docs/18/libpq-connect.html#LIBPQ-PARAMKEYWORDS), then
 * those of ORMs and drivers that hosts add. Any other stops the start, because it may be meant as a protection.
 */
export const parameters: Readonly<Record<string, Use>> = {
  ...all("read", "host hostaddr port dbname user password connect_timeout application_name fallback_application_name"),
  ...all("read", "options keepalives keepalives_idle sslmode ssl sslrootcert sslcert sslkey sslpassword sslcrl"),
  ...all("read", "sslcertmode sslsni sslnegotiation ssl_min_protocol_version ssl_max_protocol_version channel_binding"),
  target_session_attrs: {
    accepts: ["any", "read-write", "primary"],
    otherwise: "Vouch writes, so it needs the primary: use read-write",
  },
  client_encoding: { accepts: ["utf8", "UTF8", "auto"], otherwise: "Vouch speaks UTF8" },
  gssencmode: { accepts: ["disable", "prefer"], otherwise: "Vouch does not support GSSAPI; use TLS (sslmode)" },
  replication: { accepts: ["false", "off", "no", "0"], otherwise: "Vouch needs an ordinary session" },
  // Node's sockets set these themselves or do not use them.
  ...all("without effect", "keepalives_interval keepalives_count tcp_user_timeout sslcompression load_balance_hosts"),
  ...all("without effect", "krbsrvname gsslib gssdelegation min_protocol_version max_protocol_version"),
  // Prisma
  ...all("ignored", "schema pgbouncer connection_limit pool_timeout socket_timeout statement_cache_size"),
  ...all("ignored", "max_idle_connection_lifetime sslidentity"),
  // Other ORMs, drivers and hosts
  ...all("ignored", "currentSchema encoding idle_timeout max max_lifetime pool pool_max_conns pool_mode pool_size"),
  ...all("ignored", "prepare prepared_statements prepareThreshold reaping_frequency reconnect serverVersion charset"),
  ...all("ignored", "supa uselibpqcompat workaround"),
}
