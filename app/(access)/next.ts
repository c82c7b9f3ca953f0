/**
 * Where to go after the sign-in: a page of this server, whatever the address says. A path that begins with two slashes
 * is another server's address (`/.//host` and `/%2e//host` become one), so what was resolved must not.
 */
export function pageOfOurs(next: string | undefined, origin: string = window.location.origin): string {
  if (next === undefined) return "/"
  const url = URL.parse(next, origin)
  if (url?.origin !== origin || url.pathname.startsWith("//")) return "/"
  return url.pathname + url.search
}
