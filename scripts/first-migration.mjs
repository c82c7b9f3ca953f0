// Writes the first migration again from db/schema. Delete this with the tag v0.1.0: after it, each change is a
// migration.
import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const BY_HAND = "-- By hand from here on: what Drizzle cannot express."
const root = join(import.meta.dirname, "..")
const folder = join(root, "db/migrations")
const first = join(folder, "0001_tables.sql")
const snapshot = join(folder, "meta/0001_snapshot.json")

const text = readFileSync(first, "utf8")
const byHand = text.slice(text.indexOf(BY_HAND))
if (!byHand.startsWith(BY_HAND)) throw new Error(`${first} has no line "${BY_HAND}"`)
if (readdirSync(folder).some((name) => name.startsWith("0002")))
  throw new Error("Fold 0002 into db/schema and delete it first.")

const made = join(folder, "made")
rmSync(made, { recursive: true, force: true })
const from = ["--dialect=postgresql", "--schema=./db/schema/index.ts", "--out=db/migrations/made", "--name=tables"]
execFileSync("node_modules/.bin/drizzle-kit", ["generate", ...from], { cwd: root, stdio: "inherit" })
const journal = JSON.parse(readFileSync(join(made, "meta/_journal.json"), "utf8"))
Object.assign(journal.entries[0], { idx: 1, tag: "0001_tables" })

mkdirSync(join(folder, "meta"), { recursive: true })
const generated = readFileSync(join(made, "0000_tables.sql"), "utf8").trimEnd()
writeFileSync(first, `${generated}\n--> statement-breakpoint\n${byHand}`)
writeFileSync(snapshot, readFileSync(join(made, "meta/0000_snapshot.json")))
writeFileSync(join(folder, "meta/_journal.json"), `${JSON.stringify(journal, null, 2)}\n`)
rmSync(made, { recursive: true })
