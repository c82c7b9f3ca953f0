// Replays a mint's whole history from a node and prints who held what at a moment. It shares no code with the register: it
// reads only what the chain reports, with web3.js.
//
//   node test/replay/replay-register.ts <rpc url> <mint> <unix seconds>

import { Connection, PublicKey, type TokenBalance } from "@solana/web3.js"

/** One transaction of the mint: when it landed, and what each account of the mint had after it. */
type Step = {
  signature: string
  slot: number
  time: number
  accounts: { account: string; owner: string; amount: bigint }[]
}

/** Every transaction that named the mint and succeeded, oldest first. */
export async function readHistory(connection: Connection, mint: string): Promise<Step[]> {
  const steps: Step[] = []
  for (let before: string | undefined; ; ) {
    const page = await connection.getSignaturesForAddress(
      new PublicKey(mint),
      { limit: 1000, ...(before && { before }) },
      "finalized",
    )
    if (page.length === 0) return steps.reverse()
    for (const { signature, err } of page) {
      if (err !== null) continue
      const found = await connection.getTransaction(signature, {
        commitment: "finalized",
        maxSupportedTransactionVersion: 0,
      })
      if (!found?.meta || found.blockTime == null) throw new Error(`${signature} is listed and cannot be read`)
      const { message } = found.transaction
      const { writable = [], readonly = [] } = found.meta.loadedAddresses ?? {}
      const keys = [...message.staticAccountKeys, ...writable, ...readonly].map((key) => key.toBase58())
      const ofMint = (balances: TokenBalance[] | null | undefined, isAfter: boolean) =>
        (balances ?? [])
          .filter((one) => one.mint === mint)
          .map(({ accountIndex, owner, uiTokenAmount }) => {
            const amount = isAfter ? BigInt(uiTokenAmount.amount) : 0n
            return { account: keys[accountIndex]!, owner: owner!, amount }
          })
      // An account that was closed has nothing. What is left overwrites that.
      const { preTokenBalances, postTokenBalances } = found.meta
      const accounts = [...ofMint(preTokenBalances, false), ...ofMint(postTokenBalances, true)]
      steps.push({ signature, slot: found.slot, time: found.blockTime, accounts })
    }
    before = page.at(-1)!.signature
  }
}

/** Base units of each wallet that had any, after the steps that `counts` accepts. */
export function balancesAfter(steps: readonly Step[], counts: (step: Step) => boolean): Map<string, bigint> {
  const accounts = new Map<string, { owner: string; amount: bigint }>()
  for (const step of steps.filter(counts))
    for (const { account, owner, amount } of step.accounts) accounts.set(account, { owner, amount })
  const wallets = new Map<string, bigint>()
  for (const { owner, amount } of accounts.values())
    if (amount > 0n) wallets.set(owner, (wallets.get(owner) ?? 0n) + amount)
  return wallets
}

if (process.argv[1] === import.meta.filename) {
  const [url, mint, seconds] = process.argv.slice(2)
  const steps = await readHistory(new Connection(url!), mint!)
  for (const [wallet, amount] of balancesAfter(steps, ({ time }) => time <= Number(seconds)))
    console.log(`${wallet},${amount}`)
}
