import Slugger from "github-slugger"
import type { Element, Root } from "hast"
import { toString as textOf } from "hast-util-to-string"
import rehypeHighlight from "rehype-highlight"
import rehypeStringify from "rehype-stringify"
import remarkGfm from "remark-gfm"
import remarkParse from "remark-parse"
import remarkRehype from "remark-rehype"
import { unified } from "unified"
import { SKIP, visit } from "unist-util-visit"

export type Heading = { id: string; level: 2 | 3; text: string }

/** The text below one heading, for the search. The first section has the document's title and no id. */
type Section = { id: string; title: string; text: string }

export type Rendered = {
  /** The text of its first-level heading. */
  title: string
  html: string
  headings: Heading[]
  sections: Section[]
}

/** Where a link from the Markdown leads. Null if only the repository has the target. */
export type ResolveLink = (target: string) => string | null

const HEADING = /^h([1-6])$/

/**
 * A document of this repository as HTML. Ids of headings are those that GitHub gives them, so that the same link works
 * in both places. Its first-level heading is left out: the page shows the title. Raw HTML in Markdown is dropped.
 */
export function renderMarkdown(source: string, resolveLink: ResolveLink): Rendered {
  const processor = unified()
    .use(remarkParse)
    .use(remarkGfm)
    .use(remarkRehype)
    .use(rehypeHighlight, { detect: false, plainText: ["text", "promql", "mermaid"] })
  const tree = processor.runSync(processor.parse(source)) as Root
  const outline = markHeadings(tree)
  const sections = sectionsOf(tree)
  visit(tree, "element", (node) => {
    if (node.tagName === "a") turnLink(node, resolveLink)
    else if (node.tagName === "img") turnImage(node, resolveLink)
    // An empty cell is not a header: a screen reader would read it as an empty one.
    else if (node.tagName === "th" && textOf(node).trim() === "") node.tagName = "td"
  })
  visit(tree, "element", (node, index, parent) => {
    if (node.tagName === "h1" && parent && index !== undefined) {
      parent.children.splice(index, 1)
      return [SKIP, index]
    }
    const isBlock = node.tagName === "pre" || node.tagName === "table"
    if (isBlock && parent && index !== undefined) {
      parent.children[index] = node.tagName === "pre" ? codeBlock(node) : scroller(node, "Table", "table")
      return SKIP
    }
  })
  const html = unified().use(rehypeStringify).stringify(tree)
  return { ...outline, html, sections }
}

function markHeadings(tree: Root): { title: string; headings: Heading[] } {
  const slugger = new Slugger()
  const headings: Heading[] = []
  let title = ""
  visit(tree, "element", (node) => {
    const level = Number(HEADING.exec(node.tagName)?.[1])
    if (!level) return
    const text = textOf(node)
    const id = slugger.slug(text)
    if (level === 1) {
      title ||= text
      return SKIP
    }
    node.properties.id = id
    if (level <= 3) headings.push({ id, level: level as 2 | 3, text })
    return SKIP
  })
  return { title, headings }
}

/** The text between headings. Reads the top level only, where Markdown has all its headings. */
function sectionsOf(tree: Root): Section[] {
  const sections: Section[] = []
  for (const node of tree.children) {
    if (node.type !== "element") continue
    if (HEADING.test(node.tagName))
      sections.push({ id: String(node.properties.id ?? ""), title: textOf(node), text: "" })
    else if (sections.length > 0) sections.at(-1)!.text += `${spacedText(node)} `
  }
  return sections.map(({ text, ...rest }) => ({ ...rest, text: text.replace(/\s+/g, " ").trim() }))
}

/** Text with a space between cells and items, which `toString` would join into one word. */
function spacedText(node: Element): string {
  const parts: string[] = []
  visit(node, (child) => {
    if (child.type === "text") parts.push(child.value)
    else if (child.type === "element" && /^(td|th|li|p|tr|pre|br)$/.test(child.tagName)) parts.push(" ")
  })
  return parts.join("")
}

function turnLink(node: Element, resolveLink: ResolveLink): void {
  const href = resolveLink(String(node.properties.href))
  if (href !== null) {
    node.properties = { href }
    return
  }
  // A target that only the repository has is named without a link: a deployment does not know where its source is.
  node.tagName = "span"
  node.properties = { title: "In the repository" }
}

function turnImage(node: Element, resolveLink: ResolveLink): void {
  const { src, alt } = node.properties
  node.properties = { src: resolveLink(String(src)) ?? "", alt: alt ?? "", loading: "lazy" }
}

/** Code below the name of its language, next to which the copy button goes. A block without a language is a diagram. */
function codeBlock(pre: Element): Element {
  const code = pre.children.find((child): child is Element => child.type === "element")
  const classes = code?.properties.className
  const named = Array.isArray(classes) ? classes.map(String).find((name) => name.startsWith("language-")) : null
  const language = named?.slice("language-".length) ?? "text"
  if (language === "text") return scroller(pre, "Text", "code")
  const name = languages[language] ?? language
  const head: Element = {
    type: "element",
    tagName: "div",
    properties: { className: ["head"] },
    children: [{ type: "text", value: name }],
  }
  return {
    type: "element",
    tagName: "div",
    properties: { className: ["code"] },
    children: [head, scroller(pre, `Code: ${name}`, "code")],
  }
}

const languages: Record<string, string> = {
  sh: "Shell",
  ts: "TypeScript",
  js: "JavaScript",
  json: "JSON",
  yaml: "YAML",
  python: "Python",
  mermaid: "Diagram (Mermaid)",
}

/** Content wider than the page scrolls in its own frame, which the keyboard can reach. */
const scroller = (child: Element, label: string, kind: string): Element => ({
  type: "element",
  tagName: "div",
  properties: { className: ["scroller", `is-${kind}`], role: "group", ariaLabel: label, tabIndex: 0 },
  children: [child],
})
