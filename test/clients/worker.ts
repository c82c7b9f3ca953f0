import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { build } from "esbuild"

/** Uses the client in a Worker: everything for one wallet, a webhook that must be refused, and the chain. */
const source = `
import { unwrapEvent, Vouch, verifyOnChain, WebhookError } from "@vouch/client"

export default {
  async fetch(request, { KEY, ORIGIN, RPC_URL, WALLET }) {
    const vouch = new Vouch({ baseUrl: ORIGIN, apiKey: KEY })
    const schema = "kyc_individual_v1"
    const { session_id } = await vouch.startVerification({ userPubkey: WALLET, schemaId: schema })
    const answers = { consent: true, country: "US", ageOver18: true, accredited: true, decision: "approved" }
    await fetch(ORIGIN + "/api/trpc/verification.submit", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ sessionId: session_id, ...answers }),
    })
    const { status, attestation_id } = await vouch.waitForStatus({ pubkey: WALLET })
    const mint = { user_pubkey: WALLET, mint_config: "us_real_estate_fund_v1", amount: "7" }
    const minted = await vouch.waitFor(vouch.mintTokens(mint, { idempotencyKey: "worker", respondAsync: true }))
    const { onchain } = await vouch.getAttestation({ id: attestation_id })
    const onChain = await verifyOnChain(RPC_URL, { issuer: onchain.authority, schema, wallet: WALLET })
    const forged = await unwrapEvent(await request.text(), request.headers, "whsec_" + btoa("x".repeat(32)))
      .then(() => "believed", (error) => (error instanceof WebhookError ? "refused" : String(error)))
    const events = []
    for await (const { sequence } of vouch.listEvents()) events.push(sequence)
    return Response.json({ status, minted: minted.status, verified: onChain.verified, forged, events })
  },
}
`

/** Cloudflare's runtime as a server, without Cloudflare: https://github.com/cloudflare/workerd. */
const config = (bindings: Record<string, string>) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "2026-01-01",
      bindings = [${Object.entries(bindings).map(([name, text]) => `(name = "${name}", text = "${text}")`)}],
    )),
    (name = "internet", network = (allow = ["private", "public"])),
  ],
  sockets = [(name = "http", service = "main", http = ())],
);
`

/** Runs the Worker in an empty project with the client, and returns its response. */
export async function askWorker(
  project: string,
  { port, bindings }: { port: number; bindings: Record<string, string> },
): Promise<unknown> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: project },
    bundle: true,
    format: "esm",
    platform: "neutral",
    write: false,
  })
  writeFileSync(join(project, "worker.js"), outputFiles[0]!.contents)
  writeFileSync(join(project, "config.capnp"), config(bindings))
  const child = spawn("npx", ["--yes", "workerd", "serve", "config.capnp", `--socket-addr=http=127.0.0.1:${port}`], {
    cwd: project,
    stdio: ["ignore", "inherit", "inherit"],
    // npx does not pass signals on, so end the whole group.
    detached: true,
  })
  try {
    for (let attempt = 0; ; attempt++) {
      const response = await fetch(`http://127.0.0.1:${port}`, { method: "POST", body: "{}" }).catch((error) => {
        if (attempt > 300 || child.exitCode !== null) throw error
      })
      if (response?.ok) return response.json()
      if (response) throw new Error(`The Worker answered ${response.status}: ${await response.text()}`)
      await sleep(100)
    }
  } finally {
    process.kill(-child.pid!, "SIGTERM")
  }
}
