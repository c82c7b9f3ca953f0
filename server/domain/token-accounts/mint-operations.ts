import type { PublicKey } from "@solana/web3.js"
import { background as sql } from "#db/client.ts"
import type { Effect, Issuer, Lookup, Operation, Plan, Recovery } from "#server/ledger/index.ts"
import { addressOf, publicKeyOf } from "#server/solana/addresses.ts"
import { operationMemo } from "#server/solana/memo.ts"
import { moveAuthority, readMintAuthorities } from "#server/solana/mint-authority.ts"
import { type ProgramError, SystemError } from "#server/solana/program-error.ts"
import type { Address } from "#shared/address.ts"

// Positions in an operation that creates a mint (`solana/mint-account.ts`): its memo is the first instruction.
const FUND = 1
const ALLOCATE = 2

/** What an error means for an operation that creates a mint. */
export function recoverMintCreation(error: ProgramError, instruction: number): Recovery {
  if (instruction === FUND && error.custom === SystemError.ResultWithNegativeLamports) {
    return { do: "wait" }
  }
  // Only the deployment's mint base can allocate there, so this mint already exists.
  if (instruction === ALLOCATE && error.custom === SystemError.AccountAlreadyInUse) {
    return { do: "finish" }
  }
  return { do: "retry" }
}

/** Whether the mints exist that operations were to create. */
export async function mintEffects(
  mints: readonly { id: string; mint: PublicKey }[],
  { chain, slot }: Lookup & { slot: number },
): Promise<Map<string, Effect>> {
  const addresses = mints.map(({ mint }) => mint)
  const { value } = await chain.rpc.accounts(addresses, { since: slot, commitment: "finalized" })
  return new Map(mints.map(({ id }, i) => [id, value[i] ? "there" : "absent"]))
}

/** A mint whose authority an operation replaces. */
type Move = {
  id: string
  /** Whether to ask the chain for the mint's authority, because the operation failed or vanished and is done again. */
  looks: boolean
  mint: PublicKey
  to: Address
}

/** What an operation moves. It reads the chain first if what it knows may be out of date. */
const moveOf = ({ id, attempts, redo, payload: { to } }: Operation<{ to: Address }>, mint: PublicKey): Move => ({
  id,
  looks: attempts > 0 || redo,
  mint,
  to,
})

/** The mint's authority according to the database, and whether that key may pause the mint. */
type KnownMint = { authority: Address | null; pausable: boolean }

/** What all operations that replace a mint's authority have in common. */
export function authorityMove<Payload extends { to: Address }>(mintOf: (operation: Operation<Payload>) => PublicKey) {
  const movesOf = (operations: readonly Operation<Payload>[]) =>
    operations.map((operation) => moveOf(operation, mintOf(operation)))
  return {
    isUrgent: false,
    lookUp: (operations: Operation<Payload>[], at: Lookup) => lookUpAuthorities(movesOf(operations), at),
    settleAgain: null,
    release: null,
    memoId: ({ id }: { id: string }) => id,
    effects: (operations: Operation<Payload>[], at: Lookup & { slot: number }) => moveEffects(movesOf(operations), at),
    rebuild: null,
    /** Reads the mint's current authority. */
    recover: (): Recovery => ({ do: "retry" }),
  }
}

/** Plans moves from what is known of each mint. */
export const planMoves = <Payload extends { to: Address }>(
  operations: readonly Operation<Payload>[],
  {
    issuer,
    seen,
    mintOf,
    known,
  }: {
    issuer: Issuer
    seen: SeenAuthorities | null
    mintOf: (operation: Operation<Payload>) => PublicKey
    known: (payload: Payload) => KnownMint
  },
): Map<string, Plan> =>
  new Map(
    operations.map((operation) => [
      operation.id,
      planMove(issuer, moveOf(operation, mintOf(operation)), { ...known(operation.payload), seen }),
    ]),
  )

/** The authority that each operation's mint was seen to have. */
export type SeenAuthorities = ReadonlyMap<string, Address | null>

/** The authority of each mint, from a node that has seen everything that landed for the workspace. */
async function lookUpAuthorities(moves: readonly Move[], { workspaceId, chain }: Lookup): Promise<SeenAuthorities> {
  const [row] = await sql<{ slot: bigint | null }[]>`
    select max(slot) as slot from (select slot from transactions
      where workspace_id = ${workspaceId} and status = 'confirmed' order by created_at desc limit 100) t`
  return authoritiesOf(moves, await readMintAuthorities(chain.rpc, mintsOf(moves), { since: Number(row?.slot ?? 0) }))
}

/** Plans one move, from the authority in the database or, if the chain had to be asked, from the one on chain. */
function planMove(
  issuer: Issuer,
  { id, looks, mint, to }: Move,
  known: KnownMint & { seen: SeenAuthorities | null },
): Plan {
  const seen = known.seen?.get(id) ?? null
  if (looks && seen === null) return { do: "look up" }
  const from = issuer.authority(looks ? seen : known.authority).publicKey
  if (addressOf(from) === to) return { do: "finish" }
  const about = { mint, from, to: publicKeyOf(to), pausable: known.pausable, memoText: operationMemo(id) }
  return { do: "send", instructions: moveAuthority(about), signers: [] }
}

/** Whether mints have the authorities that they were to be moved to. */
async function moveEffects(
  moves: readonly Move[],
  { chain, slot }: Lookup & { slot: number },
): Promise<Map<string, Effect>> {
  const options = { since: slot, commitment: "finalized" } as const
  const found = authoritiesOf(moves, await readMintAuthorities(chain.rpc, mintsOf(moves), options))
  return new Map(moves.map(({ id, to }) => [id, found.get(id) === to ? "there" : "absent"]))
}

const mintsOf = (moves: readonly Move[]) => moves.map(({ mint }) => mint)

const authoritiesOf = (moves: readonly Move[], found: readonly (PublicKey | null)[]): SeenAuthorities =>
  new Map(moves.map(({ id }, i) => [id, found[i] ? addressOf(found[i]) : null]))
