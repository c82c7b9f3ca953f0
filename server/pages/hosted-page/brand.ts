import { Html, html } from "#server/lib/html.ts"
import { brandColors, isColor, surfaces } from "#shared/contrast.ts"
import type { Known } from "./parts.ts"
import type { Words } from "./words.ts"

/** The company's color in place of Vouch's, for light and dark. */
export function brandStyle(color: string | null): Html | null {
  if (color === null || !isColor(color)) return null
  const light = variables(color, surfaces.light)
  return new Html(`:root{${light}}@media(prefers-color-scheme:dark){:root{${variables(color, surfaces.dark)}}}`)
}

function variables(color: string, surface: string): string {
  const { button, buttonInk, buttonStrong, needsEdge, accent, accentInk } = brandColors(color, surface)
  return `--button:${button};--button-ink:${buttonInk};--button-strong:${buttonStrong};--button-line:${
    needsEdge ? "var(--field)" : "transparent"
  };--accent:${accent};--accent-ink:${accentInk}`
}

/** The company's logo, or its name if it has none. */
export function companyMark({ company, brand: { logo } }: Known): Html {
  if (logo === null) return html`<span class="company">${company}</span>`
  const { path, width, height } = logo
  return html`<img class="logo" src="${path}" width="${width}" height="${height}" alt="${company}">`
}

/** Where investors can ask questions, if the company has set a contact. */
export function questions({ brand: { contact } }: Known, words: Words): Html | null {
  if (contact === null) return null
  const isPage = contact.startsWith("https://")
  const text = isPage ? contact.replace(/^https:\/\/|\/$/g, "") : contact
  const link = html`<a class="contact" href="${isPage ? contact : `mailto:${contact}`}" rel="noreferrer noopener">${text}</a>`
  return html`<p>${words.questions(link)}</p>`
}
