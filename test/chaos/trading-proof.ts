import { getAssociatedTokenAddressSync, getMint, TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import { Connection, PublicKey } from "@solana/web3.js"
import { assert } from "./assert.ts"
import type { Client } from "./client.ts"
import type { Deployment } from "./deployment.ts"
import { carriedIn, carriersOf, historyOf } from "./history.ts"
import { FUNDS } from "./open-fund.ts"
import { type Operation, readOperations } from "./operations.ts"
import type { Acknowledged } from "./orders.ts"
import { readPages } from "./pages.ts"
import { audit } from "./proof.ts"
import { type Loss, mayBeLost } from "./restore.ts"
import type { Trading } from "./trading.ts"

export type Traded = { client: Client; trading: Trading; losses: readonly Loss[] }

type Attestation = {
  attestation_id: string
  session_id: string
  status: string
  user_pubkey: string
  onchain: { mint: string; authority: string } | null
}

/** The first bytes of Token-2022's MintTo, MintToChecked, Transfer and TransferChecked. */
const MOVES = [7, 14, 3, 12]
const UNITS_PER_TOKEN = 1_000_000

/**
 * Checks what must hold once everything has settled, whatever a restore lost. The chain, read by plain web3.js, and the
 * books agree. No id took effect twice. Everything acknowledged exists, unless a restore may have lost it and it is not
 * on chain.
 */
export async function proveTrading(deployment: Deployment, traded: Traded): Promise<void> {
  const { client, trading, losses } = traded
  const connection = new Connection(deployment.rpcUrl, "confirmed")
  const operations = await readOperations(client)
  const attestations = await readPages<Attestation>(client, "/attestations")
  const { authority } = attestations.find(({ onchain }) => onchain !== null)!.onchain!
  const history = await historyOf(connection, authority)
  const carriers = new Map([...carriersOf(history, "op_"), ...carriersOf(history, "att_")])
  for (const [id, signatures] of carriers) {
    if (signatures.length === 1) continue
    const known = JSON.stringify(await recordsOf(deployment, id, signatures))
    assert(false, () => `${id} is on chain more than once: ${signatures.join(", ")}; the books say ${known}`)
  }

  compareOperations(operations, carriers)
  const known = new Set(operations.map((one) => one.operation_id))
  for (const { id, did } of history.flatMap(({ transaction }) => carriedIn(transaction)))
    if (id.startsWith("op_") && MOVES.includes(did ?? -1))
      assert(known.has(id), () => `${id} is on chain, but not in the books`)
  for (const one of trading.orders) {
    if (known.has(one.id)) continue
    assert(!carriers.has(one.id), () => `${one.id} is on chain, but the books do not show it`)
    assertLost(one, losses)
  }
  compareEnds(attestations, traded)
  await compareCredentials(connection, attestations)
  for (const fund of FUNDS) await compareFund(connection, { fund, operations, attestations, ...traded })
  await audit(deployment)
}

function assertLost({ id, asked, acknowledged }: Acknowledged, losses: readonly Loss[], record?: Attestation): void {
  const known = JSON.stringify(record ?? null)
  assert(
    mayBeLost(losses, asked, acknowledged),
    () => `${id} was acknowledged outside every restore, but is lost; the books say ${known}`,
  )
}

/** The database's rows of an operation or an attestation, and its transactions, for debugging. */
const recordsOf = (deployment: Deployment, id: string, signatures: readonly string[]) =>
  deployment.query(async (sql) => [
    ...(await sql`select to_jsonb(a) - 'claims' - 'salt' as attestation from attestations a where id = ${id}`),
    ...(await sql`select to_jsonb(o) as operation from operations o where id = ${id} or payload::text like ${`%${id}%`}`),
    ...(await sql`
      select to_jsonb(t) - 'wire' as transaction from transactions t
      where signature = any(${[...signatures]}) or layout::text like ${`%${id}%`}`),
  ])

/** A confirmed operation is in the transaction that its record names; a failed one is in none. */
function compareOperations(operations: readonly Operation[], carriers: Map<string, string[]>): void {
  for (const { operation_id: id, status, onchain_tx } of operations) {
    const [signature] = carriers.get(id) ?? []
    if (status === "failed") assert(signature === undefined, () => `${id} failed, but is in ${signature}`)
    else
      assert(
        status === "confirmed" && signature === onchain_tx,
        () => `${id} is ${status} by ${onchain_tx}, and in ${signature ?? "nothing"} on chain`,
      )
  }
}

/** Each acknowledged approval and revocation has completed. */
function compareEnds(attestations: readonly Attestation[], { trading, losses }: Traded): void {
  const byId = new Map(attestations.map((one) => [one.attestation_id, one]))
  const bySession = new Map(attestations.map((one) => [one.session_id, one]))
  for (const one of trading.revocations) {
    const record = byId.get(one.id)
    if (record?.status !== "rejected") assertLost(one, losses, record)
  }
  for (const one of trading.approvals) {
    const record = bySession.get(one.id)
    if ((record?.status ?? "pending") === "pending") assertLost(one, losses, record)
  }
}

const addressOf = (mint: PublicKey, wallet: string) =>
  getAssociatedTokenAddressSync(mint, new PublicKey(wallet), true, TOKEN_2022_PROGRAM_ID)

const walletsOf = (attestations: readonly Attestation[]) => [...new Set(attestations.map((one) => one.user_pubkey))]
const isVerified = (attestations: readonly Attestation[], wallet: string) =>
  attestations.some((one) => one.user_pubkey === wallet && one.status === "verified")

/** One frozen unit for each verified wallet, and no other units. */
async function compareCredentials(connection: Connection, attestations: readonly Attestation[]) {
  const mint = new PublicKey(attestations.find(({ onchain }) => onchain !== null)!.onchain!.mint)
  let verified = 0n
  for (const wallet of walletsOf(attestations)) {
    const meant = isVerified(attestations, wallet) ? 1n : 0n
    const info = await connection.getAccountInfo(addressOf(mint, wallet))
    const account = info && unpackAccount(addressOf(mint, wallet), info, TOKEN_2022_PROGRAM_ID)
    assert((account?.amount ?? 0n) === meant, () => `${wallet} holds ${account?.amount} credentials, not ${meant}`)
    assert(account?.isFrozen !== false, () => `the credential of ${wallet} is not frozen`)
    verified += meant
  }
  const { supply } = await getMint(connection, mint, "confirmed", TOKEN_2022_PROGRAM_ID)
  assert(supply === verified, () => `${supply} credentials for ${verified} verified wallets`)
}

/**
 * Each wallet holds what it received minus what it sent, open if its holder may move it. The supply equals all mints.
 */
async function compareFund(
  connection: Connection,
  about: Traded & { fund: string; operations: readonly Operation[]; attestations: readonly Attestation[] },
): Promise<void> {
  const { fund, client, operations, attestations, trading } = about
  const done = operations.filter((one) => one.mint_config === fund && one.status === "confirmed")
  const sum = (some: readonly Operation[]) =>
    some.reduce((sum, { amount }) => sum + Math.round(Number(amount) * UNITS_PER_TOKEN), 0)
  const mint = new PublicKey(done[0]!.mint)
  const { json } = await client.read(`/mint-config/${fund}`)
  for (const wallet of trading.wallets) {
    const came = done.filter((one) => (one.user_pubkey ?? one.to_pubkey) === wallet)
    const meant = sum(came) - sum(done.filter((one) => one.from_pubkey === wallet))
    const info = await connection.getAccountInfo(addressOf(mint, wallet))
    const account = info && unpackAccount(addressOf(mint, wallet), info, TOKEN_2022_PROGRAM_ID)
    const held = Number(account?.amount ?? 0n)
    assert(held === meant, () => `${wallet} holds ${held} of ${fund} instead of ${meant}`)
    if (account === null) continue
    const isOpen = json.transfer_mode === "holder" && isVerified(attestations, wallet)
    assert(account.isFrozen === !isOpen, () => `${wallet}'s account of ${fund} should be ${isOpen ? "open" : "frozen"}`)
  }
  const minted = sum(done.filter(({ kind }) => kind === "mint"))
  const { supply } = await getMint(connection, mint, "confirmed", TOKEN_2022_PROGRAM_ID)
  assert(Number(supply) === minted, () => `${supply} base units of ${fund} exist, but ${minted} were minted`)
  assert(
    Math.round(Number(json.supply) * UNITS_PER_TOKEN) === minted,
    () => `the record of ${fund} says ${json.supply}, but ${minted} base units were minted`,
  )
}
