import { UNMATCHED } from "#server/http/metrics.ts"
import { isAuthEndpoint } from "./auth-requests.ts"
import { SECURITY_TXT } from "./files.ts"
import { downloads, isFile, LOGO_UPLOAD, procedures } from "./pages-api.ts"

const TRPC = "/api/trpc/"

/** The template of a page's address or API path, for metrics and traces. The number of templates is bounded. */
export function routeOfPage(url: string): string {
  const path = url.split("?", 1)[0]!
  if (path.startsWith(TRPC)) return procedures.has(path.slice(TRPC.length)) ? path : UNMATCHED
  if (isAuthEndpoint(path)) return path
  if (path.startsWith("/api/")) return path === LOGO_UPLOAD || Object.hasOwn(downloads, path) ? path : UNMATCHED
  if (path.startsWith("/verify/")) return "/verify/{session_id}"
  if (path === SECURITY_TXT) return path
  return isFile(path) ? "file" : "page"
}
