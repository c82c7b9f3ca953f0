/** Where to go after the sign-in: a page of this server, whatever the address says. */
export function pageOfOurs(next: string | undefined): string {
  if (next === undefined) return "/"
  const { origin } = window.location
  const url = URL.parse(next, origin)
  return url?.origin === origin ? url.pathname + url.search : "/"
}
