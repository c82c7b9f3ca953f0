import { TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import { Connection, PublicKey } from "@solana/web3.js"
import { assert } from "./assert.ts"
import type { Customers } from "./customers.ts"
import { type Deployment, until } from "./deployment.ts"
import { carriersOf, historyOf } from "./history.ts"
import { readPages } from "./pages.ts"

type Record = {
  attestation_id: string
  status: string
  user_pubkey: string
  session_id: string
  onchain_tx: string
  onchain: { mint: string; token_account: string; authority: string }
}

/** Waits until the API reports every approved session as verified. */
export async function allVerified(customers: Customers): Promise<void> {
  let left = customers.cases.filter((one) => one.approved)
  let said = ""
  await until(
    "every approved wallet to be verified",
    async () => {
      for (;;) {
        const [next] = left
        if (next === undefined) return true
        const { json } = await customers.read(`/kyc/status/${next.wallet}`)
        said = json.status
        if (said !== "verified") return false
        left = left.slice(1)
      }
    },
    300_000,
  ).catch((error: Error) => {
    throw new Error(`${error.message}: ${left.length} are not, and the first of them is ${said}`)
  })
}

/**
 * Checks what must hold once everything has settled: nothing acknowledged is lost, and nothing happened twice. It reads
 * like a customer (REST), an outsider (the chain, by plain web3.js), and an operator (`ledger audit`).
 */
export async function prove(deployment: Deployment, customers: Customers): Promise<void> {
  await allVerified(customers)
  const records = await readPages<Record>(customers.client, "/attestations")
  compareSessions(customers, records)
  await compareUsage(customers)
  await compareChain(deployment, records)
  for (const one of customers.cases) {
    const { headers } = await customers.start(one)
    assert(headers["idempotent-replayed"] === "true", () => `${one.idempotencyKey} was not replayed`)
  }
  await compareUsage(customers)
  await audit(deployment)
}

export async function audit(deployment: Deployment, changes: { [name: string]: string } = {}): Promise<void> {
  const { exitCode, stdout, stderr } = await deployment.command(["ledger", "audit", "--json"], changes)
  assert(exitCode === 0, () => `ledger audit exited with ${exitCode}: ${stdout}${stderr}`)
}

function compareSessions({ cases }: Customers, records: Record[]): void {
  const bySession = new Map(records.map((record) => [record.session_id, record]))
  assert(bySession.size === records.length, () => "two attestations share a session")
  assert(records.length === cases.length, () => `${cases.length} were started, ${records.length} are there`)
  for (const { sessionId, wallet } of cases) {
    const record = bySession.get(sessionId ?? "")
    assert(record !== undefined, () => `the acknowledged session ${sessionId} is missing`)
    assert(record.user_pubkey === wallet, () => `${sessionId} belongs to ${record.user_pubkey}, not to ${wallet}`)
    assert(record.status === "verified", () => `${sessionId} is ${record.status}`)
  }
}

async function compareUsage(customers: Customers): Promise<void> {
  const { json } = await customers.read("/usage")
  assert(
    json.used === customers.cases.length,
    () => `${json.used} units are used by ${customers.cases.length} sessions`,
  )
}

async function compareChain({ rpcUrl }: Deployment, records: Record[]): Promise<void> {
  if (records.length === 0) return
  const connection = new Connection(rpcUrl, { commitment: "confirmed" })
  const { mint, authority } = records[0]!.onchain
  const supply = await connection.getTokenSupply(new PublicKey(mint))
  assert(
    supply.value.amount === String(records.length),
    () => `${supply.value.amount} credentials for ${records.length} wallets`,
  )

  for (let from = 0; from < records.length; from += 100) {
    const some = records.slice(from, from + 100)
    const addresses = some.map((record) => new PublicKey(record.onchain.token_account))
    const infos = await connection.getMultipleAccountsInfo(addresses)
    for (const [at, { user_pubkey }] of some.entries()) {
      const token = unpackAccount(addresses[at]!, infos[at] ?? null, TOKEN_2022_PROGRAM_ID)
      assert(token.amount === 1n, () => `${user_pubkey} holds ${token.amount}`)
      assert(token.isFrozen, () => `the credential of ${user_pubkey} is not frozen`)
      assert(token.owner.toBase58() === user_pubkey, () => `a stranger owns the credential of ${user_pubkey}`)
      assert(token.mint.toBase58() === mint, () => `${user_pubkey} holds another mint`)
    }
  }
  await compareHistory(connection, authority, records)
}

/** Checks over all blocks that each attestation was issued once, and that no account ever held more than one unit. */
async function compareHistory(connection: Connection, authority: string, records: Record[]): Promise<void> {
  const history = await historyOf(connection, authority)
  for (const { signature, transaction } of history) {
    for (const { uiTokenAmount } of transaction.meta!.postTokenBalances ?? []) {
      assert(BigInt(uiTokenAmount.amount) <= 1n, () => `${signature} left ${uiTokenAmount.amount} units on one account`)
    }
  }
  const carriers = carriersOf(history, "att_")
  for (const { attestation_id, onchain_tx } of records) {
    const signatures = carriers.get(attestation_id) ?? []
    assert(
      signatures.length === 1 && signatures[0] === onchain_tx,
      () => `${attestation_id} should be in ${onchain_tx} only, but is in ${signatures.join(", ") || "none"}`,
    )
  }
  assert(
    carriers.size === records.length,
    () => `${carriers.size} attestations are on chain for ${records.length} records`,
  )
}
