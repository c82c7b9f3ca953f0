import { TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import { Connection, PublicKey, type VersionedTransactionResponse } from "@solana/web3.js"
import type { Customers } from "./customers.ts"
import { type Deployment, until } from "./deployment.ts"

type Record = {
  attestation_id: string
  status: string
  user_pubkey: string
  session_id: string
  onchain_tx: string
  onchain: { mint: string; token_account: string; authority: string }
}

/** Throws unless `claim` holds. */
function must(claim: boolean, otherwise: () => string): asserts claim {
  if (!claim) throw new Error(otherwise())
}

/** Waits until every approved session is verified, as its customer reads it. */
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
 * Holds what must hold once everything has settled: nothing acknowledged is lost, nothing happened twice. It reads
 * as a customer does (REST), as a stranger does (the chain, by plain web3.js), and as an operator does (the audit).
 */
export async function prove(deployment: Deployment, customers: Customers): Promise<void> {
  await allVerified(customers)
  const records = await readRecords(customers)
  compareSessions(customers, records)
  await compareUsage(customers)
  await compareChain(deployment, records)
  for (const one of customers.cases) {
    const { headers } = await customers.start(one)
    must(headers["idempotent-replayed"] === "true", () => `${one.idempotencyKey} was not replayed`)
  }
  await compareUsage(customers)
  await audit(deployment)
}

export async function audit(deployment: Deployment, changes: { [name: string]: string } = {}): Promise<void> {
  const { exitCode, stdout, stderr } = await deployment.command(["ledger", "audit", "--json"], changes)
  must(exitCode === 0, () => `the audit exited with ${exitCode}: ${stdout}${stderr}`)
}

async function readRecords(customers: Customers): Promise<Record[]> {
  const records: Record[] = []
  let cursor: string | null = null
  do {
    const { json } = await customers.read(
      `/attestations?limit=100${cursor === null ? "" : `&cursor=${cursor}`}`,
    )
    records.push(...(json.data as Record[]))
    cursor = json.next_cursor as string | null
  } while (cursor !== null)
  return records
}

function compareSessions({ cases }: Customers, records: Record[]): void {
  const bySession = new Map(records.map((record) => [record.session_id, record]))
  must(bySession.size === records.length, () => "two attestations share a session")
  must(records.length === cases.length, () => `${cases.length} were started, ${records.length} are there`)
  for (const { sessionId, wallet } of cases) {
    const record = bySession.get(sessionId ?? "")
    must(record !== undefined, () => `the acknowledged session ${sessionId} is missing`)
    must(
      record.user_pubkey === wallet,
      () => `${sessionId} belongs to ${record.user_pubkey}, not to ${wallet}`,
    )
    must(record.status === "verified", () => `${sessionId} is ${record.status}`)
  }
}

async function compareUsage(customers: Customers): Promise<void> {
  const { json } = await customers.read("/usage")
  must(
    json.used === customers.cases.length,
    () => `${json.used} units are used by ${customers.cases.length} sessions`,
  )
}

async function compareChain({ rpcUrl }: Deployment, records: Record[]): Promise<void> {
  if (records.length === 0) return
  const connection = new Connection(rpcUrl, { commitment: "confirmed" })
  const { mint, authority } = records[0]!.onchain
  const supply = await connection.getTokenSupply(new PublicKey(mint))
  must(
    supply.value.amount === String(records.length),
    () => `${supply.value.amount} credentials for ${records.length} wallets`,
  )

  for (let from = 0; from < records.length; from += 100) {
    const some = records.slice(from, from + 100)
    const addresses = some.map((record) => new PublicKey(record.onchain.token_account))
    const infos = await connection.getMultipleAccountsInfo(addresses)
    for (const [at, { user_pubkey }] of some.entries()) {
      const token = unpackAccount(addresses[at]!, infos[at] ?? null, TOKEN_2022_PROGRAM_ID)
      must(token.amount === 1n, () => `${user_pubkey} holds ${token.amount}`)
      must(token.isFrozen, () => `the credential of ${user_pubkey} is not frozen`)
      must(token.owner.toBase58() === user_pubkey, () => `a stranger owns the credential of ${user_pubkey}`)
      must(token.mint.toBase58() === mint, () => `${user_pubkey} holds another mint`)
    }
  }
  await compareHistory(connection, authority, records)
}

/** From the first block to the last: each attestation once, and never more than one unit on any account. */
async function compareHistory(connection: Connection, authority: string, records: Record[]): Promise<void> {
  const carriers = new Map<string, string[]>()
  for (const signature of await landedSignatures(connection, authority)) {
    const transaction = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 })
    must(transaction !== null, () => `${signature} is in the history but not to be found`)
    if (!isSignedBy(transaction, authority)) continue
    for (const { uiTokenAmount } of transaction.meta!.postTokenBalances ?? []) {
      must(
        BigInt(uiTokenAmount.amount) <= 1n,
        () => `${signature} left ${uiTokenAmount.amount} units on one account`,
      )
    }
    for (const id of attestationsIn(transaction)) carriers.set(id, [...(carriers.get(id) ?? []), signature])
  }
  for (const { attestation_id, onchain_tx } of records) {
    const signatures = carriers.get(attestation_id) ?? []
    must(
      signatures.length === 1 && signatures[0] === onchain_tx,
      () =>
        `${attestation_id} should be in ${onchain_tx} alone, and is in ${signatures.join(", ") || "none"}`,
    )
  }
  must(
    carriers.size === records.length,
    () => `${carriers.size} attestations are on chain for ${records.length} records`,
  )
}

async function landedSignatures(connection: Connection, address: string): Promise<string[]> {
  const signatures: string[] = []
  let before: string | undefined
  for (;;) {
    const page = await connection.getSignaturesForAddress(new PublicKey(address), {
      limit: 1000,
      ...(before ? { before } : {}),
    })
    signatures.push(...page.filter((one) => one.err === null).map((one) => one.signature))
    if (page.length < 1000) return signatures
    before = page.at(-1)!.signature
  }
}

function isSignedBy({ transaction: { message } }: VersionedTransactionResponse, authority: string): boolean {
  const signers = message.staticAccountKeys.slice(0, message.header.numRequiredSignatures)
  return signers.some((signer) => signer.toBase58() === authority)
}

/** The attestations that a transaction's memos name: `vouch:1:<attestation_id>:<commitment>:<expiry>`. */
function attestationsIn({ transaction: { message } }: VersionedTransactionResponse): string[] {
  return message.compiledInstructions
    .filter(({ programIdIndex }) => message.staticAccountKeys[programIdIndex]!.toBase58().startsWith("Memo"))
    .map(({ data }) => Buffer.from(data).toString("utf8").split(":")[2]!)
    .filter((id) => id.startsWith("att_"))
}
