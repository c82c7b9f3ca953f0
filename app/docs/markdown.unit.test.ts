import { expect, test } from "vitest"
import { renderMarkdown } from "./markdown.ts"

const render = (...lines: string[]) =>
  renderMarkdown(lines.join("\n"), (target) => (target.startsWith("x") ? null : target))

test("the first heading becomes the title and the others have GitHub's ids", () => {
  const { title, html, headings } = render("# Of `this`", "", "## One & two", "", "### Deep", "", "## One & two")
  expect(title).toBe("Of this")
  expect(html).not.toContain("<h1")
  expect(headings).toEqual([
    { id: "one--two", level: 2, text: "One & two" },
    { id: "deep", level: 3, text: "Deep" },
    { id: "one--two-1", level: 2, text: "One & two" },
  ])
  expect(html).toContain('<h2 id="one--two">')
})

test("raw HTML does not reach the page", () => {
  expect(render("# A", "", "before <script>alert(1)</script> <b onclick=x>after</b>").html).not.toMatch(
    /<script|onclick/,
  )
})

test("code and tables scroll in a frame that the keyboard can reach, and a diagram has no copy button", () => {
  const { html } = render("```sh", "ls", "```", "", "```text", "a → b", "```", "", "| a | |", "|---|---|", "| 1 | 2 |")
  expect(html.match(/role="group"/g)).toHaveLength(3)
  expect(html.match(/class="code"/g)).toHaveLength(1)
  expect(html).toContain('aria-label="Code: Shell"')
  // An empty cell is not a header: a screen reader would read it as an empty one.
  expect(html.match(/<th>/g)).toHaveLength(1)
})

test("a target that only the repository has is named without a link", () => {
  const { html } = render("[here](y.md) and [there](x.md)")
  expect(html).toContain('<a href="y.md">here</a>')
  expect(html).toContain('<span title="In the repository">there</span>')
})

test("the search reads each section and separates cells", () => {
  const { sections } = render("# Title", "", "Start.", "", "## Next", "", "| a | b |", "|---|---|", "| 1 | 2 |")
  expect(sections).toEqual([
    { id: "", title: "Title", text: "Start." },
    { id: "next", title: "Next", text: "a b 1 2" },
  ])
})
