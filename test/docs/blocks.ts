import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

export type Block = { file: string; line: number; language: string; code: string }

const root = join(import.meta.dirname, "..", "..")

/** All documents: the pages of docs/ and the READMEs next to the code. */
export const documents = [
  ...globSync(["*.md", "docs/**/*.md", "client/*.md", "client/python/*.md", "bench/*.md"], { cwd: root }),
].sort()

/** A document's fenced code blocks, without the indentation of a surrounding list. */
export function blocksOf(file: string): Block[] {
  const blocks: Block[] = []
  let open: Block | null = null
  let indent = 0
  for (const [index, line] of readFileSync(join(root, file), "utf8").split("\n").entries()) {
    const [, before, language] = /^( *)```(\w*)$/.exec(line) ?? []
    if (before === undefined) {
      if (open) open.code += `${line.slice(indent)}\n`
    } else if (open) {
      blocks.push(open)
      open = null
    } else {
      indent = before.length
      open = { file, line: index + 2, language: language!, code: "" }
    }
  }
  if (open) throw new Error(`${file}:${open.line}: the block is not closed`)
  return blocks
}

/** Blocks of one language in one document. */
export const codeIn = (file: string, language: string): Block[] =>
  blocksOf(file).filter((block) => block.language === language)

export const guides = documents.filter((file) => file.startsWith("docs/guides/"))
/** A guide's blocks together are the program that its reader writes. */
export const programOf = (file: string): string =>
  codeIn(file, "js")
    .map(({ code }) => code)
    .join("\n")
/** The guides that have a program. */
export const programs = guides.filter((file) => programOf(file) !== "")
