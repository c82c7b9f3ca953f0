import { renderMarkdown } from "./markdown.ts"

const rendered = new Map<string, string>()

/** A description from the OpenAPI document, which is Markdown. */
export function Markdown({ text }: { text: string }) {
  let html = rendered.get(text)
  if (html === undefined) {
    html = renderMarkdown(text, (target) => target).html
    rendered.set(text, html)
  }
  // biome-ignore lint/security/noDangerouslySetInnerHtml: our own document, without raw HTML
  return <div className="prose" dangerouslySetInnerHTML={{ __html: html }} />
}

/** One or two sentences in which only code is marked up. */
export const Inline = ({ text }: { text: string }) =>
  text.split(/`([^`]+)`/).map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text that never changes
    index % 2 === 1 ? <code key={index}>{part}</code> : part,
  )
