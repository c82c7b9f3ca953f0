import { copyFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { startLocalnetProcess } from "#localnet"
import { findValidator, startValidator } from "../../fixtures/validator.ts"
import { type Client, run } from "../run.ts"

type Chain = { url: string; stop(): Promise<void> }

/** The local network, and a validator if available; both in separate processes, because clients run synchronously. */
export async function startChains(): Promise<Chain[]> {
  const localnet = await startLocalnetProcess({ port: 0, slotMs: 20, output: "inherit" })
  const validator = findValidator()
  if (validator === null) console.log("No solana-test-validator: Solana's clients run against the local network only.")
  return [localnet, ...(validator === null ? [] : [await startValidator(validator)])]
}

/**
 * Runs Solana's client libraries in other languages against both chains. `test/cluster/client-libraries.test.ts` does
 * this for those on npm.
 */
export function chainClients(chains: readonly Chain[]): Client[] {
  const source = (name: string) => join(import.meta.dirname, name)
  const onEach = (ask: (url: string, wsUrl: string) => void) => {
    for (const { url } of chains) {
      const { hostname, port } = new URL(url)
      ask(url, `ws://${hostname}:${Number(port) + 1}`)
    }
  }
  return [
    {
      name: "solana-py",
      needs: ["python3"],
      make(dir) {
        run(dir, "python3", "-m", "venv", "venv")
        const python = join(dir, "venv", "bin", "python")
        run(dir, python, "-m", "pip", "install", "--quiet", "solana==0.36.12")
        onEach((url, wsUrl) => run(dir, python, source("client.py"), url, wsUrl))
      },
    },
    {
      name: "solana-go",
      needs: ["go"],
      make(dir) {
        run(dir, "go", "mod", "init", "client")
        copyFileSync(source("client.go"), join(dir, "main.go"))
        run(dir, "go", "get", "github.com/gagliardetto/solana-go@v1.14.0")
        run(dir, "go", "mod", "tidy")
        run(dir, "go", "build", "-o", "client", ".")
        onEach((url, wsUrl) => run(dir, join(dir, "client"), url, wsUrl))
      },
    },
    {
      name: "solana-rpc-client",
      needs: ["cargo"],
      make(dir) {
        mkdirSync(join(dir, "src"))
        copyFileSync(source("client.rs"), join(dir, "src", "main.rs"))
        writeFileSync(join(dir, "Cargo.toml"), cargo)
        run(dir, "cargo", "build", "--quiet")
        onEach((url) => run(dir, join(dir, "target", "debug", "client"), url))
      },
    },
  ]
}

const cargo = `[package]
name = "client"
version = "0.1.0"
edition = "2021"
[dependencies]
solana-commitment-config = "3"
solana-keypair = "3"
solana-pubkey = { version = "3", features = ["rand"] }
solana-rpc-client = "3"
solana-system-interface = { version = "2", features = ["bincode"] }
solana-transaction = "3"
solana-transaction-status-client-types = "3"
[profile.dev]
debug = 0
`
