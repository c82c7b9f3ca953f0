/**
 * Makes clients of openapi.yaml as customers do, unpatched, with the generators they use: `npm run clients`. Each needs
 * its own tools and fetches itself from its registry; one whose tools are not here is skipped, and says so.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"

const root = join(import.meta.dirname, "..", "..")
const document = join(root, "openapi.yaml")

/** A run of a command; throws with what it printed when it fails. */
function run(cwd: string, command: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  })
  if (error || status !== 0) throw new Error(`${command} ${args[0]}: ${error?.message ?? stderr + stdout}`)
  return stdout
}

function expectText(text: string, wanted: string): void {
  if (!text.includes(wanted))
    throw new Error(`There is no ${JSON.stringify(wanted)} in:\n${text.slice(0, 2000)}`)
}

const isHere = (command: string): boolean => spawnSync(command, ["--help"]).error === undefined

/** openapi-typescript: what has a default, or is a rule, may be left out; an amount is a string or a number. */
function typeScript(dir: string): void {
  run(
    dir,
    "npx",
    "--yes",
    "--package=typescript@5",
    "--package=openapi-typescript@7.13.0",
    "openapi-typescript",
    document,
    "-o",
    "vouch.ts",
  )
  writeFileSync(
    join(dir, "use.ts"),
    `import type { components } from "./vouch.ts"
type Request<Name extends keyof components["schemas"]> = components["schemas"][Name]
export const mints: Request<"MintTokensRequest">[] = ["250.5", 16777217].map((amount) => ({
  user_pubkey: "w", mint_config: "m", amount,
}))
export const config: Request<"CreateMintConfigRequest"> = {
  id: "m", name: "M", symbol: "M", decimals: 6, required_schema: "s",
}
`,
  )
  const options = [
    "--noEmit",
    "--strict",
    "--module",
    "nodenext",
    "--allowImportingTsExtensions",
    "--skipLibCheck",
  ]
  run(dir, join(root, "node_modules", ".bin", "tsc"), ...options, "use.ts")
}

/** oapi-codegen: compiles, and a number goes out with the digits that it was given. */
function go(dir: string): void {
  run(dir, "go", "mod", "init", "client")
  mkdirSync(join(dir, "vouch"))
  const generator = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"
  const code = run(dir, "go", "run", generator, "-generate", "types,client", "-package", "vouch", document)
  writeFileSync(join(dir, "vouch", "vouch.go"), code)
  writeFileSync(
    join(dir, "main.go"),
    `package main

import (
	"encoding/json"
	"fmt"

	"client/vouch"
)

func main() {
	var amount vouch.MintTokensRequest_Amount
	if err := amount.FromMintTokensRequestAmount1(16777217); err != nil {
		panic(err)
	}
	mint, _ := json.Marshal(vouch.MintTokensRequest{Amount: amount})
	config, _ := json.Marshal(vouch.CreateMintConfigRequest{Id: "m"})
	fmt.Println(string(mint), string(config))
}
`,
  )
  run(dir, "go", "mod", "tidy")
  const sent = run(dir, "go", "run", ".")
  expectText(sent, '"amount":16777217,')
  if (/transfer_mode|rules/.test(sent)) throw new Error(`What was not set is sent: ${sent}`)
}

/** openapi-generator: compiles. */
function java(dir: string): void {
  const version = "7.14.0"
  const artifact = `org.openapitools:openapi-generator-cli:${version}`
  run(dir, "mvn", "-q", "dependency:get", `-Dartifact=${artifact}`, "-Dtransitive=false")
  const folder = join(homedir(), ".m2", "repository", "org", "openapitools", "openapi-generator-cli", version)
  const jar = join(folder, `openapi-generator-cli-${version}.jar`)
  run(dir, "java", "-jar", jar, "generate", "-i", document, "-g", "java", "--library", "native", "-o", ".")
  const model = join(dir, "src", "main", "java", "org", "openapitools", "client", "model")
  expectText(readFileSync(join(model, "MintTokensRequest.java"), "utf8"), "MintTokensRequestAmount amount")
  run(dir, "mvn", "-q", "-DskipTests", "compile")
}

const clients = [
  { name: "openapi-typescript", needs: ["npx"], make: typeScript },
  { name: "oapi-codegen", needs: ["go"], make: go },
  { name: "openapi-generator", needs: ["java", "mvn"], make: java },
]

const count = { passed: 0, failed: 0, skipped: 0 }
for (const { name, needs, make } of clients) {
  const missing = needs.find((command) => !isHere(command))
  if (missing !== undefined) {
    console.log(`${name}: skipped, since ${missing} is not installed.`)
    count.skipped++
    continue
  }
  const dir = mkdtempSync(join(tmpdir(), "vouch-client-"))
  try {
    make(dir)
    console.log(`${name}: takes the document.`)
    count.passed++
  } catch (error) {
    console.error(`${name}: ${(error as Error).message}`)
    count.failed++
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`)
process.exitCode = count.failed > 0 ? 1 : 0
