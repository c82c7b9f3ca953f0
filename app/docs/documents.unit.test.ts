import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { expect, test } from "vitest"
import { allDocuments, chapters, documentAt, resolve } from "./documents.ts"

const files = new Map(allDocuments().map((document) => [document.file, document]))

test("every document in docs/ is in the contents, once", () => {
  expect(globSync("docs/**/*.md").filter((file) => !files.has(file))).toEqual([])
  expect(files.size).toBe(allDocuments().length)
})

test("each document has a title that is unique in its chapter", () => {
  for (const { documents } of chapters()) {
    const titles = documents.map(({ title }) => title)
    expect(titles.filter((title) => title === "")).toEqual([])
    expect(new Set(titles).size).toBe(titles.length)
  }
})

test("every link between files leads to an existing file and heading", () => {
  const read = [...files.keys(), ...globSync(["*.md", "{app,bench,db,localnet,server}/**/README.md"])]
  const headingsOf = new Map<string, Set<string>>()
  const ids = (file: string) => {
    const known = headingsOf.get(file)
    if (known) return known
    const found = new Set([...readFileSync(file, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, text]) => slug(text!)))
    headingsOf.set(file, found)
    return found
  }
  const broken = [...new Set(read)].flatMap((file) =>
    [
      ...readFileSync(file, "utf8")
        .replace(/^```[\s\S]*?^```/gm, "")
        .matchAll(/\]\(([^)\s]+)\)/g),
    ]
      .map(([, target]) => target!)
      .filter((target) => !/^https?:/.test(target))
      .filter((target) => {
        const [place, anchor] = target.split("#", 2) as [string, string?]
        const wanted = place === "" ? file : posix.join(dirname(file), place)
        if (place.startsWith("/")) return true
        if (!existsSync(join(process.cwd(), wanted))) return true
        return anchor !== undefined && !ids(wanted).has(anchor)
      })
      .map((target) => `${file}: ${target}`),
  )
  expect(broken).toEqual([])
})

/** Heading ids as GitHub makes them. A separate implementation, so that it checks the one that the pages use. */
const slug = (heading: string) =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll("`", "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-")

test("links lead to the page of a document, to its screenshot, or nowhere", () => {
  expect(resolve("docs/contract.md", "../client/README.md#on-chain")).toBe("/docs/client#on-chain")
  expect(resolve("docs/providers/didit.md", "../extending.md#a-provider")).toBe("/docs/extending#a-provider")
  expect(resolve("docs/extending.md", "providers/")).toBe("/docs/providers")
  expect(resolve("docs/hosted-page.md", "screenshots/hosted-page-light.png")).toBe(
    "/docs/screenshots/hosted-page-light.png",
  )
  expect(resolve("docs/contract.md", "#keys")).toBe("#keys")
  expect(resolve("docs/contract.md", "../bench/README.md#memory")).toBeNull()
})

test("a path without a document gives null", () => {
  expect(documentAt("contract")?.document.title).toBe("Contract")
  for (const path of ["", "nowhere", "../package.json", "constructor", "__proto__"]) expect(documentAt(path)).toBeNull()
})
