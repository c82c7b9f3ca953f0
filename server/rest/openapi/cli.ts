import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { toYaml } from "../openapi.ts"
import { clientSource } from "./client.ts"
import { openApiDocument } from "./document.ts"
import { asOpenApi30 } from "./version-3-0.ts"

const root = join(import.meta.dirname, "..", "..", "..")

const HEADING = "# Generated from the endpoints in server/ by `npm run openapi:write`. Do not edit.\n"

/** The generated files: the repository's copy of the document, and the types of the TypeScript client. */
function wanted(): Map<string, string> {
  const document = openApiDocument()
  return new Map([
    ["openapi.yaml", HEADING + toYaml(document)],
    ["client/src/contract.ts", clientSource(document)],
  ])
}

const [command] = process.argv.slice(2)
if (command === "write") write()
else if (command === "check") process.exitCode = check() ? 0 : 1
else {
  console.error("Usage: node server/rest/openapi/cli.ts write|check")
  process.exitCode = 2
}

function write(): void {
  const files = wanted()
  for (const [name, text] of files) writeFileSync(join(root, name), text)
  console.log(`${[...files.keys()].join(" and ")} are written.`)
}

/** Whether the generated files match the endpoints, and both versions pass Redocly's recommended rules. */
function check(): boolean {
  const current = (name: string) => (existsSync(join(root, name)) ? readFileSync(join(root, name), "utf8") : null)
  const stale = [...wanted()].filter(([name, text]) => current(name) !== text)
  for (const [name] of stale) console.error(`${name} does not match the endpoints. Run: npm run openapi:write`)
  return stale.length === 0 && lint("openapi.yaml") && lintOlder()
}

/** The same for the copy in 3.0, which only the server has. */
function lintOlder(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "vouch-openapi-"))
  try {
    const file = join(folder, "openapi-3.0.json")
    writeFileSync(file, JSON.stringify(asOpenApi30(openApiDocument())))
    return lint(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Runs Redocly on a file, without telemetry and its check for updates, so that it needs no network. */
function lint(file: string): boolean {
  const cli = join(root, "node_modules", "@redocly", "cli", "bin", "cli.js")
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [cli, "lint", file, "--format=stylish"], {
    cwd: root,
    encoding: "utf8",
    timeout: 60_000,
    env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
  })
  if (status === 0) {
    console.log(`${basename(file)} matches the endpoints, and Redocly finds no errors or warnings.`)
    return true
  }
  console.error(error ? `Redocly could not be run: ${error.message}` : `${stdout}${stderr}`)
  console.error(
    `${basename(file)} has problems. Correct the procedures or server/rest/openapi/, then run: npm run openapi:write`,
  )
  return false
}
