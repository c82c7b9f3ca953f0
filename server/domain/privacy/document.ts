import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Kept, kept } from "./kept.ts"

export const DOCUMENT = join(import.meta.dirname, "../../../docs/privacy.md")
const BEGIN = "<!-- made by npm run privacy:write -->\n"
const END = "<!-- /made -->"

const tables = Object.entries<Kept>(kept)
const named = (columns: readonly string[]) => columns.map((column) => `\`${column}\``).join(", ")

/** The part of the document that describes the tables. */
function madeOfTables(): string {
  const ofInvestors = tables.flatMap(([name, table]) => {
    if (table.of !== "investors") return []
    const columns = Object.entries<null | string | { stays: string }>(table.columns)
    const personal = columns.flatMap(([column, says]) =>
      says === null
        ? []
        : typeof says === "string"
          ? [`| \`${column}\` | ${says} | yes |`]
          : [`| \`${column}\` | ${says.stays} | no |`],
    )
    const others = columns.filter(([, says]) => says === null).map(([column]) => column)
    return [
      `#### \`${name}\`\n\n${table.what}. Kept: ${table.kept}.\n`,
      `| Column | What it says about the person | Erased |\n|---|---|---|\n${personal.join("\n")}\n`,
      ...(others.length > 0 ? [`Ids, states, times and the like: ${named(others)}.\n`] : []),
    ]
  })
  const rows = (of: "members" | "none") =>
    tables.flatMap(([name, table]) => (table.of === of ? [`| \`${name}\` | ${table.what} |`] : [])).join("\n")
  return [
    "### About investors\n",
    ...ofInvestors,
    `### About people who sign in\n\n| Table | What |\n|---|---|\n${rows("members")}\n`,
    `### About no one\n\n| Table | What |\n|---|---|\n${rows("none")}\n`,
  ].join("\n")
}

/** The document with the current tables. */
export function renderDocument(text: string): string {
  const begin = text.indexOf(BEGIN) + BEGIN.length
  const end = text.indexOf(END)
  if (begin < BEGIN.length || end < begin) throw new Error("docs/privacy.md lacks the markers")
  return `${text.slice(0, begin)}\n${madeOfTables()}\n${text.slice(end)}`
}

if (import.meta.main) writeFileSync(DOCUMENT, renderDocument(readFileSync(DOCUMENT, "utf8")))
