import { expect, test } from "vitest"
import { attributes, Html, html } from "./html.ts"

const nasty = `"><script>alert('x')</script>&amp;`
const escaped = "&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;amp;"

test("inserted values are escaped in elements and attributes", () => {
  expect(html`<p title="${nasty}">${nasty}</p>`.text).toBe(`<p title="${escaped}">${escaped}</p>`)
})

test("markup stays markup, also in nested lists", () => {
  const items = ["<", html`<b>${"&"}</b>`, [1, null]]
  expect(html`${items}|${html`${html`<i>`}`}`.text).toBe("&lt;<b>&amp;</b>1|<i>")
})

test("an object that looks like markup is escaped", () => {
  const fake = { text: "<script>" } as unknown as string
  expect(() => html`${fake}`).toThrow()
  expect(html`${new Html("<br>")}`.text).toBe("<br>")
})

test("attributes are escaped, and left out where they have no value", () => {
  const values = { a: nasty, b: true, c: false, d: null, e: undefined, f: 0, g: "" }
  expect(attributes(values).text).toBe(` a="${escaped}" b f="0" g=""`)
})
