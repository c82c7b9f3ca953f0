import { type Account, unpackAccount } from "@solana/spl-token"
import { type AccountInfo, type PublicKey, SystemProgram } from "@solana/web3.js"
import { background as sql } from "#db/client.ts"
import type { Lookup, Operation } from "#server/ledger/index.ts"
import { addressOf, publicKeyOf, tokenAccountOf } from "#server/solana/addresses.ts"
import { isTokenProgram, type PaymentMint } from "#server/solana/payment-mint.ts"
import type { Address } from "#shared/address.ts"
import { readPayingKey } from "./keys.ts"
import { readPaymentMints, type SeenMint } from "./payment-mints.ts"

/** A payment, as the ledger queues it. */
export type Payment = { payout_id: string; mint: Address; wallet?: Address | undefined; amount: bigint }

/** A token account of another issuer's mint: anyone may fund it, its owner may close it, its issuer may freeze it. */
export type SeenAccount = { address: Address; owner: Address; amount: bigint; isFrozen: boolean }

type Recipient = {
  /** The wallet's associated token account; null if there is none. */
  account: SeenAccount | null
  /** Why nothing may be paid to the wallet; null if it can receive. */
  refused: string | null
}

export type SeenTreasury = {
  authority: Address
  mints: ReadonlyMap<Address, SeenMint & { treasury: SeenAccount | null }>
  /** By operation. */
  recipients: ReadonlyMap<string, Recipient>
}

/** Reads everything that payments depend on: it belongs to others and may change at any time. */
export async function lookUpPayments(
  operations: readonly Operation<Payment>[],
  { workspaceId, chain }: Lookup,
): Promise<SeenTreasury> {
  const { authority } = await readPayingKey(sql, workspaceId)
  const at = { since: chain.rpc.nodes.slot }
  const addresses = [...new Set(operations.map(({ payload }) => payload.mint))]
  const mints = await readPaymentMints(chain.rpc, addresses, at)
  const known = new Map(mints.map((seen) => [seen.address, seen]))
  const usable = mints.flatMap(({ read }) => ("refused" in read ? [] : [read]))
  const paid = operations.flatMap(({ id, payload: { mint, wallet } }) => {
    const read = known.get(mint)!.read
    return "refused" in read || wallet === undefined ? [] : [{ id, mint: read, wallet: publicKeyOf(wallet) }]
  })
  const sources = usable.map((mint) => accountOf(mint, publicKeyOf(authority)))
  const targets = paid.map(({ mint, wallet }) => accountOf(mint, wallet))
  const wallets = paid.map(({ wallet }) => wallet)
  const { value } = await chain.rpc.accounts([...sources, ...targets, ...wallets], at)
  const treasuryOf = (address: Address) => {
    const i = usable.findIndex(({ mint }) => addressOf(mint) === address)
    return i < 0 ? null : readAccount(sources[i]!, value[i], usable[i]!)
  }
  const recipients = paid.map(({ id, mint, wallet }, i): [string, Recipient] => {
    const account = readAccount(targets[i]!, value[sources.length + i], mint)
    const info = value[sources.length + targets.length + i]
    return [id, { account, refused: refusalOf(wallet, { account, info, authority }) }]
  })
  return {
    authority,
    mints: new Map(mints.map((seen) => [seen.address, { ...seen, treasury: treasuryOf(seen.address) }])),
    recipients: new Map(recipients),
  }
}

const accountOf = ({ mint, program }: PaymentMint, owner: PublicKey): PublicKey => tokenAccountOf(mint, owner, program)

/** A token account as a node shows it; null if no one has opened it. Only lamports can be at its address otherwise. */
export function readAccount(
  address: PublicKey,
  info: AccountInfo<Buffer> | null | undefined,
  { mint, program }: Pick<PaymentMint, "mint" | "program">,
): SeenAccount | null {
  if (!info || (info.owner.equals(SystemProgram.programId) && info.data.length === 0)) return null
  const account: Account = unpackAccount(address, info, program)
  if (!account.mint.equals(mint))
    throw new Error(`A node shows an account of the mint ${addressOf(account.mint)} at ${addressOf(address)}.`)
  const { owner, amount, isFrozen } = account
  return { address: addressOf(address), owner: addressOf(owner), amount, isFrozen }
}

/**
 * Why a payment to a wallet would be lost; null if it would not. Wallets off the curve, such as those of a multisig, can
 * own token accounts. A token account, a mint and a program cannot move what they own.
 */
function refusalOf(
  wallet: PublicKey,
  about: { account: SeenAccount | null; info: AccountInfo<Buffer> | null | undefined; authority: Address },
): string | null {
  const { account, info, authority } = about
  const address = addressOf(wallet)
  if (address === authority) return "it is the treasury itself"
  if (info?.executable) return "it is a program"
  if (info && isTokenProgram(info.owner)) return "it is a token account or a mint, not a wallet"
  // The classic token program lets an owner give the account away.
  if (account && account.owner !== address) return `its token account ${account.address} belongs to ${account.owner}`
  return null
}
