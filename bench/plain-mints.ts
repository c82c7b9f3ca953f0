/**
 * The obvious way to mint: @solana/spl-token's mintTo, one transaction per mint, each confirmed before the next. No
 * database and no rules; the accounts exist and are not frozen. Runs in a separate process.
 */
import { createAccount, createMint, createMintToInstruction, mintTo, TOKEN_2022_PROGRAM_ID } from "@solana/spl-token"
import { Connection, Keypair, LAMPORTS_PER_SOL, Transaction, type TransactionInstruction } from "@solana/web3.js"

/** `alone`: one after the other, timed from sending signed bytes to the confirmation. */
export type PlainOrder = { clients: number; measure_ms: number } | { alone: number }
export type PlainOutcome = { mints: number; seconds: number; times_ms: number[] }

const [url = "", wsEndpoint = ""] = process.argv.slice(2)
const CLIENTS = 64
const DECIMALS = 6

const connection = new Connection(url, { commitment: "confirmed", wsEndpoint })
const confirm = { commitment: "confirmed" } as const
const program = TOKEN_2022_PROGRAM_ID
const payer = Keypair.generate()
const authority = Keypair.generate()

const airdrop = await connection.requestAirdrop(payer.publicKey, 1000 * LAMPORTS_PER_SOL)
await connection.confirmTransaction({ signature: airdrop, ...(await connection.getLatestBlockhash()) })
const mint = await createMint(connection, payer, authority.publicKey, null, DECIMALS, undefined, confirm, program)
const accounts = await Promise.all(
  Array.from({ length: CLIENTS }, () =>
    createAccount(connection, payer, mint, Keypair.generate().publicKey, undefined, confirm, program),
  ),
)
/**
 * web3.js keeps a blockhash for 30 seconds, half of its life on a cluster. Here it lives 150 short slots, so it is
 * replaced in time, at no cost to the mints.
 */
async function refreshBlockhash(): Promise<void> {
  const latestBlockhash = await connection.getLatestBlockhash()
  const { _blockhashInfo } = connection as unknown as { _blockhashInfo: object }
  Object.assign(_blockhashInfo, { latestBlockhash, lastFetch: Date.now(), transactionSignatures: [] })
}
await refreshBlockhash()
setInterval(() => void refreshBlockhash(), 1000)

/** A different amount each time, because identical transactions would be one. */
let amount = 0

async function mintInParallel(clients: number, measure_ms: number): Promise<PlainOutcome> {
  const times_ms: number[] = []
  const begin = performance.now()
  const client = async (n: number) => {
    while (performance.now() - begin < measure_ms) {
      const sentAt = performance.now()
      const to = accounts[n % accounts.length]!
      await mintTo(connection, payer, mint, to, authority, ++amount, [], confirm, program)
      times_ms.push(performance.now() - sentAt)
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, n) => client(n)))
  return { mints: times_ms.length, seconds: (performance.now() - begin) / 1000, times_ms }
}

async function mintAlone(count: number): Promise<PlainOutcome> {
  const times_ms: number[] = []
  const begin = performance.now()
  for (let n = 0; n < count; n++) {
    const to = accounts[n % accounts.length]!
    times_ms.push(await timeToConfirm(createMintToInstruction(mint, to, authority.publicKey, ++amount, [], program)))
  }
  return { mints: count, seconds: (performance.now() - begin) / 1000, times_ms }
}

async function timeToConfirm(instruction: TransactionInstruction): Promise<number> {
  const latest = await connection.getLatestBlockhash()
  const transaction = new Transaction({ feePayer: payer.publicKey, ...latest }).add(instruction)
  transaction.sign(payer, authority)
  const wire = transaction.serialize()
  const sentAt = performance.now()
  const signature = await connection.sendRawTransaction(wire, { skipPreflight: true })
  const { value } = await connection.confirmTransaction({ signature, ...latest }, "confirmed")
  if (value.err !== null) throw new Error(`A plain mint failed: ${JSON.stringify(value.err)}`)
  return performance.now() - sentAt
}

process.on("message", (order: PlainOrder) => {
  const done = "alone" in order ? mintAlone(order.alone) : mintInParallel(order.clients, order.measure_ms)
  done.then(
    (outcome) => process.send?.(outcome),
    (error) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.on("disconnect", () => process.exit())
process.send?.("ready")
