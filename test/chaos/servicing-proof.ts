import { getAssociatedTokenAddressSync, getMint, TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import { Connection, PublicKey } from "@solana/web3.js"
import { assert } from "./assert.ts"
import type { Client } from "./client.ts"
import type { Deployment } from "./deployment.ts"
import { carriersOf, historyOf } from "./history.ts"
import { FUNDS } from "./open-fund.ts"
import { type Operation, readOperations } from "./operations.ts"
import { readPages } from "./pages.ts"
import { audit } from "./proof.ts"
import { type Loss, mayBeLost } from "./restore.ts"
import type { Held, Servicing } from "./servicing.ts"

export type Serviced = { client: Client; servicing: Servicing; losses: readonly Loss[] }

type HoldRecord = { hold_id: string; user_pubkey: string; mint_config: string; remaining: string; state: string }

const baseUnits = (amount: string) => BigInt(Math.round(Number(amount) * 1_000_000))

/**
 * Checks what must hold once everything has settled. The model is what the caller ordered; the chain is read by plain
 * web3.js. They agree in each wallet's balance, in what is held of it, and in the supply. No id took effect twice, and
 * nothing acknowledged is lost, unless a restore may have lost it and it is not on chain.
 */
export async function proveServicing(deployment: Deployment, serviced: Serviced): Promise<void> {
  const { client, servicing, losses } = serviced
  const connection = new Connection(deployment.rpcUrl, "confirmed")
  const operations = await readOperations(client)
  const holds = await readPages<HoldRecord>(client, "/token/holds")
  const mints = new Map(operations.map((one) => [one.mint_config, new PublicKey(one.mint)]))
  const { mintAuthority } = await getMint(connection, mints.get(FUNDS[0])!, "confirmed", TOKEN_2022_PROGRAM_ID)
  const carriers = carriersOf(await historyOf(connection, mintAuthority!.toBase58()), "op_")

  const ordered = new Map(servicing.ordered.map((one) => [one.id, one]))
  for (const operation of operations) {
    const { operation_id: id, kind, status, onchain_tx } = operation
    const signatures = carriers.get(id) ?? []
    // A release after a change to agent mode changes only the books.
    const meant = status === "confirmed" && (kind !== "release" || onchain_tx !== null) ? [onchain_tx] : []
    assert(
      ["confirmed", "failed"].includes(status) && JSON.stringify(signatures) === JSON.stringify(meant),
      () => `${id} (${kind}) is ${status} by ${onchain_tx}, and on chain in ${signatures.join(", ") || "nothing"}`,
    )
    const order = ordered.get(id)
    if (order === undefined) continue
    const { mint_config, from_pubkey, to_pubkey, user_pubkey, amount } = operation
    const [from, to] =
      kind === "mint" ? [null, user_pubkey] : kind === "burn" ? [user_pubkey, null] : [from_pubkey, to_pubkey]
    const [said, wanted] = [
      [mint_config, from, to, Number(baseUnits(amount))],
      [order.fund, order.from, order.to, order.baseUnits],
    ].map((one) => JSON.stringify(one))
    assert(said === wanted, () => `${id} is ${said}, ${wanted} was ordered`)
  }
  for (const [id, signatures] of carriers)
    assert(signatures.length === 1, () => `${id} is on chain more than once, in ${signatures.join(", ")}`)
  const known = new Set(operations.map((one) => one.operation_id))
  for (const { id, asked, acknowledged } of servicing.ordered) {
    if (known.has(id)) continue
    assert(!carriers.has(id), () => `${id} is on chain, but the books do not show it`)
    assert(mayBeLost(losses, asked, acknowledged), () => `${id} was acknowledged outside every restore, but is lost`)
  }
  const confirmed = new Set(operations.filter(({ status }) => status === "confirmed").map((one) => one.operation_id))
  compareHolds(holds, confirmed, serviced)
  for (const fund of FUNDS)
    await compareFund(connection, { fund, mint: mints.get(fund)!, operations, holds, ...serviced })
  await audit(deployment)
}

/** Each hold is as the one order left it that used it. */
function compareHolds(
  holds: readonly HoldRecord[],
  confirmed: ReadonlySet<string>,
  { servicing, losses }: Serviced,
): void {
  const byId = new Map(holds.map((one) => [one.hold_id, one]))
  const lossy = ({ asked, acknowledged }: { asked: number; acknowledged: number }) =>
    mayBeLost(losses, asked, acknowledged)
  for (const held of servicing.holds) {
    const { id, use } = held
    if (lossy(held) || (use !== null && lossy(use))) continue
    const record = byId.get(id)
    assert(record !== undefined, () => `${id} was acknowledged outside every restore, but is lost`)
    if (record.state === "failed") continue
    const meant = remainingOf(held, servicing, confirmed)
    assert(
      baseUnits(record.remaining) === meant,
      () => `${id} of ${held.baseUnits} holds ${record.remaining} (${record.state}) after ${JSON.stringify(use)}`,
    )
  }
}

function remainingOf({ baseUnits, use }: Held, { ordered }: Servicing, confirmed: ReadonlySet<string>): bigint {
  if (use === null) return BigInt(baseUnits)
  if (use.kind === "released") return use.operation === null || confirmed.has(use.operation) ? 0n : BigInt(baseUnits)
  if (use.operation === null || !confirmed.has(use.operation)) return BigInt(baseUnits)
  const { baseUnits: taken } = ordered.find(({ id }) => id === use.operation)!
  return BigInt(Math.max(0, baseUnits - taken))
}

async function compareFund(
  connection: Connection,
  about: Serviced & { fund: string; mint: PublicKey; operations: readonly Operation[]; holds: readonly HoldRecord[] },
): Promise<void> {
  const { fund, mint, client, operations, holds, servicing } = about
  const done = operations.filter((one) => one.mint_config === fund && one.status === "confirmed")
  const sum = (some: readonly { amount: string }[]) => some.reduce((sum, { amount }) => sum + baseUnits(amount), 0n)
  const { json: config } = await client.read(`/mint-config/${fund}`)
  for (const wallet of servicing.wallets) {
    const moves = done.filter(({ kind }) => kind !== "hold" && kind !== "release")
    const came = moves.filter((one) => (one.kind === "mint" ? one.user_pubkey : one.to_pubkey) === wallet)
    const went = moves.filter((one) => (one.kind === "burn" ? one.user_pubkey : one.from_pubkey) === wallet)
    const meant = sum(came) - sum(went)
    const main = getAssociatedTokenAddressSync(mint, new PublicKey(wallet), true, TOKEN_2022_PROGRAM_ID)
    const { value } = await connection.getTokenAccountsByOwner(new PublicKey(wallet), { mint })
    const accounts = value.map(({ pubkey, account }) => unpackAccount(pubkey, account, TOKEN_2022_PROGRAM_ID))
    const total = accounts.reduce((sum, { amount }) => sum + amount, 0n)
    assert(total === meant, () => `${wallet} has ${total} of ${fund} instead of ${meant}`)

    const own = holds.filter((one) => one.user_pubkey === wallet && one.mint_config === fund)
    const open = own.filter(({ state }) => state === "active" || state === "pending")
    const held = open.reduce((sum, { remaining }) => sum + baseUnits(remaining), 0n)
    const found = () => {
      const onChain = accounts.map(({ address, amount }) => `${amount} at ${address}`).join(", ")
      const movedBy = operations.filter(({ hold_id }) => own.some((one) => one.hold_id === hold_id))
      return `${wallet} has ${onChain || "nothing"}. ${JSON.stringify({ holds: own, operations: movedBy })}`
    }
    assert(held >= 0n && held <= total, () => `${held} of ${total} are held of ${wallet}'s ${fund}`)
    const { json: balance } = await client.read(`/token/balance/${wallet}?mint_config=${fund}`)
    assert(
      baseUnits(balance.amount) === total && baseUnits(balance.held) === held,
      () => `the books say ${JSON.stringify(balance)}, but ${held} are held. ${found()}`,
    )
    for (const { address, amount, isFrozen } of accounts) {
      const isMain = address.equals(main)
      // In agent mode, the books alone hold tokens.
      if (!isMain)
        assert(
          amount === (config.transfer_mode === "holder" ? held : 0n),
          () => `${held} are held of ${wallet}'s ${fund}, ${amount} are on ${address}. ${found()}`,
        )
      const isFree = isMain && config.transfer_mode === "holder"
      assert(isFrozen === !isFree, () => `${address} of ${wallet} should be ${isFree ? "open" : "frozen"}`)
    }
  }
  const outstanding = sum(done.filter(({ kind }) => kind === "mint")) - sum(done.filter(({ kind }) => kind === "burn"))
  const { supply } = await getMint(connection, mint, "confirmed", TOKEN_2022_PROGRAM_ID)
  assert(supply === outstanding, () => `${supply} base units of ${fund} exist instead of ${outstanding}`)
  assert(
    baseUnits(config.supply) === outstanding,
    () => `the record of ${fund} says ${config.supply}, not ${outstanding}`,
  )
}
