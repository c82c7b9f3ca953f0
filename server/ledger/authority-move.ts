import type { PublicKey } from "@solana/web3.js"
import { background as sql } from "#db/client.ts"
import { addressOf, publicKeyOf } from "#server/solana/addresses.ts"
import { operationMemo } from "#server/solana/memo.ts"
import { moveAuthority, readMintAuthorities } from "#server/solana/mint-authority.ts"
import type { Address } from "#shared/address.ts"
import type { Effect, Lookup, Plan, Recovery } from "./definition.ts"
import type { Issuer } from "./issuer.ts"
import type { Operation } from "./operation.ts"

/** A mint that an operation moves to another key. */
type Move = {
  id: string
  /** Whether the chain has to say what the mint obeys: it failed, or it vanished and is done again. */
  looks: boolean
  mint: PublicKey
  to: Address
}

/** What an operation moves. It looks first where what it knows may no longer be so. */
const moveOf = (
  { id, attempts, redo, payload: { to } }: Operation<{ to: Address }>,
  mint: PublicKey,
): Move => ({ id, looks: attempts > 0 || redo, mint, to })

/** What a mint obeys as the database has it, and whether that key may pause it. */
type KnownMint = { authority: Address | null; pausable: boolean }

/** What all operations have in common that move the mint of something to another key. */
export function authorityMove<Payload extends { to: Address }>(
  mintOf: (operation: Operation<Payload>) => PublicKey,
) {
  const movesOf = (operations: readonly Operation<Payload>[]) =>
    operations.map((operation) => moveOf(operation, mintOf(operation)))
  return {
    isUrgent: false,
    look: (operations: Operation<Payload>[], at: Lookup) => lookAtAuthorities(movesOf(operations), at),
    settleAgain: null,
    release: null,
    memoId: ({ id }: { id: string }) => id,
    effects: (operations: Operation<Payload>[], at: Lookup & { slot: number }) =>
      moveEffects(movesOf(operations), at),
    rebuild: null,
    /** It looks at what the mint obeys. */
    recover: (): Recovery => ({ do: "retry" }),
  }
}

/** Plans moves, each from what is known of its mint. */
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

/** The keys that mints were seen to obey, by operation. */
export type SeenAuthorities = ReadonlyMap<string, Address | null>

/** Which key each mint obeys, by a node that has seen what has landed of the workspace. */
async function lookAtAuthorities(
  moves: readonly Move[],
  { workspaceId, chain }: Lookup,
): Promise<SeenAuthorities> {
  const [row] = await sql<{ slot: bigint | null }[]>`
    select max(slot) as slot from (select slot from transactions
      where workspace_id = ${workspaceId} and status = 'confirmed' order by created_at desc limit 100) t`
  return authoritiesOf(
    moves,
    await readMintAuthorities(chain.rpc, mintsOf(moves), { since: Number(row?.slot ?? 0) }),
  )
}

/**
 * Plans one move, from the key that the database has for the mint, or where it has to look, from the one that the chain
 * tells of: it may be there already.
 */
function planMove(
  issuer: Issuer,
  { id, looks, mint, to }: Move,
  known: KnownMint & { seen: SeenAuthorities | null },
): Plan {
  const seen = known.seen?.get(id) ?? null
  if (looks && seen === null) return { do: "look" }
  const from = issuer.authority(looks ? seen : known.authority).publicKey
  if (addressOf(from) === to) return { do: "finish" }
  const about = { mint, from, to: publicKeyOf(to), pausable: known.pausable, memoText: operationMemo(id) }
  return { do: "send", instructions: moveAuthority(about), signers: [] }
}

/** Whether mints obey the keys that they were to be moved to. */
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
