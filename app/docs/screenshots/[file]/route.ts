import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const folder = join(process.cwd(), "docs", "screenshots")

// Built with the pages. Other names answer 404.
export const dynamic = "force-static"
export const dynamicParams = false
export const generateStaticParams = () => readdirSync(folder).map((file) => ({ file }))

/** A screenshot of a document. */
export async function GET(_request: Request, { params }: { params: Promise<{ file: string }> }) {
  const { file } = await params
  return new Response(new Uint8Array(readFileSync(join(folder, file))), { headers: { "Content-Type": "image/png" } })
}
