import { gzipSync } from "node:zlib"
import { searchEntries } from "#app/docs/entries.ts"

// Made once, with the pages: Next would compress a route's answer for nobody.
export const dynamic = "force-static"

/** What the search looks through, as gzipped JSON: a fifth of its size. */
export function GET(): Response {
  const body = gzipSync(JSON.stringify(searchEntries()), { level: 9 })
  return new Response(new Uint8Array(body), { headers: { "Content-Type": "application/gzip" } })
}
