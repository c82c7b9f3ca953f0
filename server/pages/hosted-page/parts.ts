import type { SessionView } from "#domain/kyc"
import { Html, html } from "#server/lib/html.ts"
import { brandColors, isColor, surfaces } from "#shared/contrast.ts"
import { type IconName, iconPaths } from "#shared/icons.ts"
import { en } from "./texts/en.ts"
import type { Words } from "./words.ts"

/** Any state of a session that exists. */
export type Known = Exclude<SessionView, { state: "unknown" }>

/** An icon in the color of the text. Hidden from screen readers, as the text next to it says the same. */
export const icon = (name: IconName): Html =>
  html`<svg class="icon icon-${name}" viewBox="0 0 24 24" aria-hidden="true"><path d="${iconPaths[name]}"/></svg>`

export const spinner = html`<svg class="icon spinner" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="9"/><path d="M21 12a9 9 0 0 0-9-9"/></svg>`

export const vouch = html`<span class="wordmark" dir="ltr"><svg viewBox="0 0 24 24" aria-hidden="true"><rect width="24" height="24" rx="6"/><path d="m6.5 8.5 4 8.5 7-11"/></svg>Vouch</span>`

export const paragraph = (text: Html | string): Html => html`<p class="text">${text}</p>`

/** A name that a company or a provider chose, in any script. Keeps its direction and moves nothing around it. */
export const named = (name: string): Html => html`<bdi>${name}</bdi>`

/** An address, a host or a code, which is read from left to right in every language. */
export const leftToRight = (value: string): Html => html`<bdi dir="ltr">${value}</bdi>`

/** Facts in rows: a name at the start, its value at the end. */
export const factLines = (facts: readonly (readonly [name: string, value: Html | string])[]): Html =>
  html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`

const shorten = (value: string) => (value.length <= 18 ? value : `${value.slice(0, 8)}…${value.slice(-8)}`)

/** An address or a signature, shortened in the middle. A click copies all of it. */
export const copyable = ({ copied }: Words, value: string, what: string): Html =>
  html`<span class="copyable"><button type="button" class="copy" title="${value}" data-copy="${value}"><code dir="ltr"><span aria-hidden="true">${shorten(value)}</span><span class="sr">${value}</span></code><span class="sr">, ${what}</span>${icon("copy")}${icon("check")}</button><span role="status" class="sr" data-text="${copied}"></span></span>`

export const checkbox = (name: string, control: Html | null, content: Html | string): Html =>
  html`<label class="tick"><span class="box"><input type="checkbox" name="${name}"${control}>${icon("check")}</span><span>${content}</span></label>`

export const select = (attributes: Html, options: Html | readonly Html[]): Html =>
  html`<span class="select"><select${attributes}>${options}</select>${icon("chevron")}</span>`

/** A field's error message, hidden until the field is wrong. */
export const problem = (id: string, text: string): Html => html`<p id="${id}" class="problem" hidden>${text}</p>`

/** Says that the server is unreachable. The script fills it. */
export const lost = ({ lost }: Words): Html => html`<p role="status" class="connection" data-lost="${lost}"></p>`

/** A form's button, and the place for its failure message. */
export const send = (label: Html | string): Html =>
  html`<div role="alert" class="failure"></div><button type="submit" class="button primary js"><span>${label}</span></button>`

/** What the session is about: the wallet and the check. */
export const subject = ({ wallet, schema }: Known, words: Words) =>
  [
    [words.facts.wallet, copyable(words, wallet, words.copyWallet)],
    [words.facts.check, schemaName(schema, words)],
  ] as const

/** A built-in schema's name in the reader's language, unless the company has renamed it. */
function schemaName({ id, name }: Known["schema"], { schemas }: Words): Html | string {
  const isBuiltIn = (id: string): id is keyof Words["schemas"] => Object.hasOwn(en.schemas, id)
  return isBuiltIn(id) && en.schemas[id] === name ? schemas[id] : named(name)
}

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
  if (logo === null) return html`<span class="company" dir="auto">${company}</span>`
  const { path, width, height } = logo
  return html`<img class="logo" src="${path}" width="${width}" height="${height}" alt="${company}">`
}

/** Where investors can ask questions, if the company has set a contact. */
export function questions({ brand: { contact } }: Known, words: Words): Html | null {
  if (contact === null) return null
  const isPage = contact.startsWith("https://")
  const text = isPage ? contact.replace(/^https:\/\/|\/$/g, "") : contact
  const link = html`<a class="contact" href="${isPage ? contact : `mailto:${contact}`}" rel="noreferrer noopener">${leftToRight(text)}</a>`
  return html`<p>${words.questions(link)}</p>`
}
