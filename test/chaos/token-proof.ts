import { getAssociatedTokenAddressSync, getMint, TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import { Connection, PublicKey } from "@solana/web3.js"
import { assert } from "./assert.ts"
import type { Client } from "./client.ts"
import type { Deployment } from "./deployment.ts"
import { carriersOf, historyOf } from "./history.ts"
import { FUND, type Order, operationIdOf, send, toAmount } from "./issuer.ts"
import { type Operation, readOperations } from "./operations.ts"
import { audit } from "./proof.ts"
import { forAll } from "./queue.ts"

export type Ordered = { client: Client; wallets: readonly string[]; orders: readonly Order[] }

/**
 * Checks what must hold of tokens once everything has settled: each order took effect exactly once. It reads like a
 * customer (REST), an outsider (the chain, by plain web3.js), and an operator (`ledger audit`).
 */
export async function proveTokens(deployment: Deployment, ordered: Ordered): Promise<void> {
  const operations = await compareOperations(ordered)
  const connection = new Connection(deployment.rpcUrl, { commitment: "confirmed" })
  const mint = new PublicKey(operations[0]!.mint)
  const { supply, mintAuthority } = await getMint(connection, mint, "confirmed", TOKEN_2022_PROGRAM_ID)
  assert(supply === supplyOf(ordered), () => `${supply} base units exist, but ${supplyOf(ordered)} were minted`)
  await compareBalances(connection, mint, ordered)
  await compareHistory(connection, mintAuthority!.toBase58(), operations)
  await compareReplays(ordered)
  assert(
    (await getMint(connection, mint, "confirmed", TOKEN_2022_PROGRAM_ID)).supply === supply,
    () => "replayed requests minted again",
  )
  await audit(deployment)
}

/** Each order is one confirmed operation, and no operation lacks an order. */
async function compareOperations({ client, orders }: Ordered): Promise<Operation[]> {
  const operations: Operation[] = []
  await forAll(client, orders, async (order) => {
    const id = operationIdOf(order)
    const operation = (await client.read(`/token/operation/${id}`)).json as Operation
    assert(operation.status === "confirmed", () => `${id} is ${operation.status}`)
    const { kind, user_pubkey, from_pubkey = null, to_pubkey, amount } = operation
    const [said, meant] = [
      [kind, from_pubkey, user_pubkey ?? to_pubkey, Number(amount)],
      [order.from === null ? "mint" : "transfer", order.from, order.to, Number(toAmount(order.baseUnits))],
    ].map((one) => JSON.stringify(one))
    assert(said === meant, () => `${id} is ${said}, ${meant} was ordered`)
    operations.push(operation)
  })
  const ids = new Set(operations.map((operation) => operation.operation_id))
  assert(ids.size === orders.length, () => `${orders.length} orders share ${ids.size} operations`)
  const begun = await readOperations(client)
  assert(begun.length === orders.length, () => `${begun.length} operations for ${orders.length} orders`)
  return operations
}

const supplyOf = ({ orders }: Ordered): bigint =>
  orders.reduce((sum, { from, baseUnits }) => sum + (from === null ? BigInt(baseUnits) : 0n), 0n)

/** Every wallet holds what it received minus what it sent, frozen, and the configuration's record agrees. */
async function compareBalances(
  connection: Connection,
  mint: PublicKey,
  { client, wallets, orders }: Ordered,
): Promise<void> {
  const sum = (some: readonly Order[]) => some.reduce((sum, { baseUnits }) => sum + BigInt(baseUnits), 0n)
  let holders = 0
  for (const wallet of wallets) {
    const came = sum(orders.filter((order) => order.to === wallet))
    const meant = came - sum(orders.filter((order) => order.from === wallet))
    const address = getAssociatedTokenAddressSync(mint, new PublicKey(wallet), true, TOKEN_2022_PROGRAM_ID)
    const info = await connection.getAccountInfo(address)
    if (meant > 0n) holders++
    if (came === 0n) {
      assert(info === null, () => `${wallet} has an account, but nothing was minted to it`)
      continue
    }
    const account = unpackAccount(address, info, TOKEN_2022_PROGRAM_ID)
    assert(account.amount === meant, () => `${wallet} holds ${account.amount} instead of ${meant}`)
    assert(account.isFrozen, () => `the account of ${wallet} is not frozen`)
  }
  const { json } = await client.read(`/mint-config/${FUND}`)
  const total = sum(orders.filter((order) => order.from === null))
  assert(
    Number(json.supply) === Number(toAmount(Number(total))) && json.holders === holders,
    () => `the record says ${json.supply} with ${json.holders} holders; there are ${total} with ${holders}`,
  )
}

/** No operation is in two transactions, and each order is in the transaction that its record names. */
async function compareHistory(
  connection: Connection,
  authority: string,
  operations: readonly Operation[],
): Promise<void> {
  const carriers = carriersOf(await historyOf(connection, authority), "op_")
  for (const [id, signatures] of carriers) {
    assert(signatures.length === 1, () => `${id} is on chain more than once: ${signatures.join(", ")}`)
  }
  for (const { operation_id, onchain_tx } of operations) {
    const [signature] = carriers.get(operation_id) ?? []
    assert(
      signature === onchain_tx,
      () => `${operation_id} should be in ${onchain_tx}, but is in ${signature ?? "none"}`,
    )
  }
}

async function compareReplays({ client, orders }: Ordered): Promise<void> {
  await forAll(client, orders, async (order) => {
    const { headers } = await send(client, order)
    assert(headers["idempotent-replayed"] === "true", () => `${order.idempotencyKey} was not replayed`)
  })
}
