import type { PublicKey } from "@solana/web3.js"
import { prepare, readCalls } from "./calls.ts"
import { createFixture } from "./fixture.ts"
import { sendCalls } from "./send-calls.ts"
import { answerShape, parseExact, type Shapes } from "./shape.ts"
import { socketShapes } from "./socket-calls.ts"
import { transportShapes } from "./transport-calls.ts"

/** Creates the fixture on a chain, and makes every call. */
export async function shapesOf(url: string): Promise<Shapes> {
  const on = await prepare(await createFixture(url))
  const shapes: Shapes = {}
  for (const calls of [readCalls, sendCalls])
    for (const [name, method, given] of await calls(on)) {
      if (name in shapes) throw new Error(`two calls are named ${name}`)
      const params = typeof given === "function" ? await given() : given
      shapes[name] = answerShape(onlyOf(on.payer.publicKey, await ask(url, method, params)))
    }
  return { ...shapes, ...(await transportShapes(url)), ...(await socketShapes(on)) }
}

async function ask(url: string, method: string, params: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, ...(params === undefined ? {} : { params }) }),
  })
  return parseExact(await response.text())
}

/** A block without transactions of others, such as votes. */
function onlyOf(payer: PublicKey, answer: unknown): unknown {
  const { result } = answer as { result?: { transactions?: unknown[] } | null }
  const all = result?.transactions
  if (all === undefined) return answer
  const mine = (one: unknown) => {
    const text = JSON.stringify(one)
    const { transaction } = one as { transaction: unknown }
    const bytes = Array.isArray(transaction) ? transaction[0] : null
    return (
      text.includes(payer.toBase58()) ||
      (typeof bytes === "string" && Buffer.from(bytes, "base64").includes(payer.toBuffer()))
    )
  }
  return { result: { ...result, transactions: all.filter(mine) } }
}
