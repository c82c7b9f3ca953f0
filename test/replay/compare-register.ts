import { expect } from "vitest"
import { waitFor } from "../fixtures/app.ts"
import { app, key, tokens } from "../fixtures/uses-app.ts"
import { balancesAfter, readHistory } from "./replay-register.ts"

/** How many random moments to compare. */
const MOMENTS = Number(process.env.VOUCH_REGISTER_MOMENTS ?? 25)

const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString().replace(".000", "")

/** The register at a moment, once it is final: base units by wallet of a token without decimals. */
async function registerAt(id: string, at: string): Promise<Record<string, string>> {
  const path = `/token/register/${id}?limit=100&at=${at}`
  const { data, next_cursor } = await waitFor(async () => {
    const response = await app.request({ method: "GET", path, key: key.apiKey })
    if (response.json.error === "not_final_yet") return null
    expect(response.status, response.text).toBe(200)
    return response.json
  }, `the register at ${at}`)
  expect(next_cursor).toBeNull()
  return Object.fromEntries(data.map((row: { user_pubkey: string; balance: string }) => [row.user_pubkey, row.balance]))
}

/** The register of a token up to a transaction equals a replay of the chain at random slots, and at every second or as many random ones. */
export async function compareWithReplay(id: string, newest: string): Promise<void> {
  const { mint, decimals } = (await tokens.get(`/mint-config/${id}`)).json
  expect(decimals).toBe(0)
  const steps = await waitFor(async () => {
    const history = await readHistory(app.connection, mint)
    return history.some(({ signature }) => signature === newest) ? history : null
  }, "the history")
  const shown = (balances: Map<string, bigint>) =>
    Object.fromEntries([...balances].map(([wallet, amount]) => [wallet, String(amount)]))
  const [first, last] = [steps[0]!, steps.at(-1)!]
  // Each step at least once: as many slots as there are steps would rarely do so.
  const slots = steps.flatMap(({ slot }) => [slot - 1, slot])
  while (slots.length < MOMENTS) slots.push(first.slot + Math.floor(Math.random() * (last.slot - first.slot + 1)))
  for (const slot of slots)
    expect(await registerAt(id, String(slot)), `slot ${slot}`).toEqual(
      shown(balancesAfter(steps, (step) => step.slot <= slot)),
    )
  for (let time = first.time - 1; time <= last.time; time++)
    expect(await registerAt(id, isoOf(time)), isoOf(time)).toEqual(
      shown(balancesAfter(steps, (step) => step.time <= time)),
    )
}
