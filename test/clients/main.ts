/**
 * `npm run clients -- [name]…` tries clients: generates some from the unchanged openapi.yaml with customers'
 * generators, runs Solana's clients in other languages against the local network, and runs Vouch's own against `npm
 * start`. Each is fetched from its registry and needs its own tools. A client whose tools are not installed is skipped
 * with a message.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { chainClients, startChains } from "./chain/clients.ts"
import { type Client, isHere, run } from "./run.ts"
import { ownClients, stopVouch } from "./vouch.ts"

const root = join(import.meta.dirname, "..", "..")
const document = join(root, "openapi.yaml")

function expectText(text: string, wanted: string): void {
  if (!text.includes(wanted)) throw new Error(`${JSON.stringify(wanted)} is missing in:\n${text.slice(0, 2000)}`)
}

/** openapi-typescript: fields with a default and rules are optional; an amount is a string or a number. */
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
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--allowImportingTsExtensions", "--skipLibCheck"]
  run(dir, join(root, "node_modules", ".bin", "tsc"), ...options, "use.ts")
}

/** oapi-codegen: compiles, and sends a number with exactly the given digits. */
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
	var amount vouch.Amount
	if err := amount.FromAmount1(16777217); err != nil {
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
  if (/transfer_mode|rules/.test(sent)) throw new Error(`Unset fields were sent: ${sent}`)
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
  expectText(readFileSync(join(model, "MintTokensRequest.java"), "utf8"), "private Amount amount")
  run(dir, "mvn", "-q", "-DskipTests", "compile")
}

const chains = await startChains()
const clients: Client[] = [
  { name: "openapi-typescript", needs: ["npx"], make: typeScript },
  { name: "oapi-codegen", needs: ["go"], make: go },
  { name: "openapi-generator", needs: ["java", "mvn"], make: java },
  ...chainClients(chains),
  ...ownClients,
]
const wanted = process.argv.slice(2)

const count = { passed: 0, failed: 0, skipped: 0 }
for (const { name, needs, make } of clients) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const missing = needs.find((command) => !isHere(command))
  if (missing !== undefined) {
    console.log(`${name}: skipped, because ${missing} is not installed.`)
    count.skipped++
    continue
  }
  const dir = mkdtempSync(join(tmpdir(), "vouch-client-"))
  try {
    await make(dir)
    console.log(`${name}: passes.`)
    count.passed++
  } catch (error) {
    console.error(`${name}: ${(error as Error).message}`)
    count.failed++
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
for (const chain of chains) await chain.stop()
await stopVouch()
console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`)
// What a stopped client has left open must not keep this process.
process.exit(count.failed > 0 ? 1 : 0)
