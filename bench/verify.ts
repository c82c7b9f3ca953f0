import { Webhook } from "standardwebhooks"
import { open } from "#db/client.ts"
import { ask } from "./children.ts"
import type { PlainOrder, PlainOutcome } from "./plain-mints.ts"
import type { Server, Stage } from "./stage.ts"
import { newWallet } from "./wallets.ts"

/** Warm-up before the first measured approval: creates the credential's mint, compiles code. */
const WARMUP = 3
const POLL_MS = 2
const PATIENCE_MS = 30_000

export type Verify = {
  /** From the approval's webhook to `verified`, one at a time. */
  p50_ms: number
  p99_ms: number
  /** From sending one plain transaction to its confirmation, in the same run. */
  chain_p50_ms: number
  count: number
}

/** How long an approved wallet waits for its credential, compared with the chain's own time for a transaction. */
export async function measureVerify({
  stage,
  vouch,
  count,
  say,
}: {
  stage: Stage
  vouch: Server
  count: number
  say: (line: string) => void
}): Promise<Verify> {
  const plain = await stage.plainMints()
  const database = open(stage.databaseUrl, 1)
  const { apiKey } = stage.customers[0]!
  try {
    const times: number[] = []
    const alone: number[] = []
    for (let n = 0; n < WARMUP + count; n++) {
      const took = await verifyOne()
      if (n < WARMUP) continue
      times.push(took)
      // Alternating, so that other load on the machine affects both.
      alone.push(...(await ask<PlainOrder, PlainOutcome>(plain, { alone: 1 })).times_ms)
      if (times.length % 20 === 0) say(`From approval to verified: ${times.length} of ${count}`)
    }
    const sorted = times.sort((a, b) => a - b)
    alone.sort((a, b) => a - b)
    const at = (list: number[], q: number) => list[Math.floor(q * (list.length - 1))]!
    return { p50_ms: at(sorted, 0.5), p99_ms: at(sorted, 0.99), chain_p50_ms: at(alone, 0.5), count }
  } finally {
    await database.end()
  }

  async function verifyOne(): Promise<number> {
    const origin = `http://127.0.0.1:${vouch.port}/v1`
    const wallet = newWallet()
    const started = await fetch(`${origin}/kyc/start`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ userPubkey: wallet, schemaId: "kyc_individual_v1" }),
    })
    const { session_id } = (await started.json()) as { session_id: string }
    const now = new Date()
    const data = {
      session_id,
      decision: "approved",
      occurred_at: now.toISOString(),
      claims: { country: "US" },
    }
    const body = JSON.stringify({ type: "verification.completed", data })
    const id = `evt_${session_id.slice(5)}`
    const begin = performance.now()
    const answer = await fetch(`${origin}/kyc/webhook`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
        "webhook-signature": new Webhook(stage.webhookSecret).sign(id, now, body),
      },
      body,
    })
    if (answer.status !== 200) throw new Error(`A webhook got status ${answer.status}`)
    // Reads the database, so that polling costs the server nothing.
    while (performance.now() - begin < PATIENCE_MS) {
      const [row] = await database`select status from attestations where session_id = ${session_id}`
      if (row!.status === "verified") return performance.now() - begin
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
    throw new Error("A wallet was not verified in time")
  }
}
