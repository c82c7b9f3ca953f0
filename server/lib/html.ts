/** Markup made by `html`, which is safe to insert into other markup. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toString(): string {
    return this.text
  }
}

type Part = Html | string | number | null | false | readonly Part[]

/** A template of markup. Inserted values are escaped unless they are markup. Null and false insert nothing. */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(strings.reduce((all, string, index) => all + markupOf(parts[index - 1]!) + string))

function markupOf(part: Part): string {
  if (part === null || part === false) return ""
  if (part instanceof Html) return part.text
  if (typeof part === "object") return part.map(markupOf).join("")
  return escapeText(String(part))
}

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

const escapeText = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!)

/** Attributes by name. True gives one without a value. Null, false and undefined give none. */
export const attributes = (values: Record<string, string | number | boolean | null | undefined>): Html =>
  new Html(
    Object.entries(values)
      .map(([name, value]) => {
        if (value === null || value === undefined || value === false) return ""
        return value === true ? ` ${name}` : ` ${name}="${escapeText(String(value))}"`
      })
      .join(""),
  )
