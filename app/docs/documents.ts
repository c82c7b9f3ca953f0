import { readFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import contents from "../../docs/contents.json" with { type: "json" }
import { type Rendered, renderMarkdown } from "./markdown.ts"

export type Document = Rendered & {
  /** Its address below /docs: "guides/verify". */
  path: string
  /** Its place in the repository. */
  file: string
}

export type Chapter = { title: string; documents: Document[] }

/** The folder of the Markdown files, which is where `next` runs. The built module of a page is elsewhere. */
const root = process.cwd()

const paths = new Map(
  (contents as { documents: Record<string, string> }[]).flatMap(({ documents }) =>
    Object.entries(documents).map(([path, file]) => [file, path] as const),
  ),
)

/** Files that have another address. */
const elsewhere: Record<string, string> = { "openapi.yaml": "/docs/api", "README.md": "/docs" }

let read: Chapter[] | undefined

/** Every document in the order of the contents. Read once: documents belong to the installed version. */
export function chapters(): Chapter[] {
  read ??= contents.map(({ title, documents }) => ({
    title,
    documents: Object.entries(documents).map(([path, file]) => {
      // Otherwise the bundler assumes that every file of the project may be read.
      const source = readFileSync(join(/* turbopackIgnore: true */ root, file), "utf8")
      return { path, file, ...renderMarkdown(source, (target) => resolve(file, target)) }
    }),
  }))
  return read
}

export const allDocuments = (): Document[] => chapters().flatMap(({ documents }) => documents)

/** The document at an address below /docs, with the previous and next one. Null if it does not exist. */
export function documentAt(path: string) {
  const all = allDocuments()
  const index = all.findIndex((document) => document.path === path)
  if (index < 0) return null
  return { document: all[index]!, before: all[index - 1] ?? null, after: all[index + 1] ?? null }
}

/** Where a link in `file` leads on this server. Null if only the repository has the target. */
export function resolve(file: string, target: string): string | null {
  if (/^(https?:|mailto:|#|\/)/.test(target)) return target
  const [place, anchor] = target.split("#", 2) as [string, string?]
  const wanted = posix.join(dirname(file), place).replace(/\/$/, "")
  const after = anchor === undefined ? "" : `#${anchor}`
  const path = paths.get(wanted) ?? paths.get(`${wanted}/README.md`)
  if (path !== undefined) return `/docs/${path}${after}`
  const [, screenshot] = /^docs\/screenshots\/([\w-]+\.png)$/.exec(wanted) ?? []
  if (screenshot !== undefined) return `/docs/screenshots/${screenshot}`
  return elsewhere[wanted] ?? null
}
