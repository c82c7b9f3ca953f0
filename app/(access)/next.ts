/**
 * Where to go after the sign-in: always a page of this server. A path that begins with two slashes is another server's
 * address, and `/.//host` and `/%2e//host` resolve to one. So the resolved path is checked, too.
 */
export function pageOfOurs(next: string | undefined, origin: string = window.location.origin): string {
  if (next === undefined) return "/"
  const url = URL.parse(next, origin)
  if (url?.origin !== origin || url.pathname.startsWith("//")) return "/"
  return url.pathname + url.search
}
