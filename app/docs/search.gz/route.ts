import { gzipSync } from "node:zlib"
import { searchEntries } from "#app/docs/entries.ts"

// Compressed once at build time, because Next does not compress the answer of a route.
export const dynamic = "force-static"

/** The entries of the search as gzipped JSON, a fifth of the size. */
export function GET(): Response {
  const body = gzipSync(JSON.stringify(searchEntries()), { level: 9 })
  return new Response(new Uint8Array(body), { headers: { "Content-Type": "application/gzip" } })
}
