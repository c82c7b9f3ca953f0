import type { PublicKey } from "@solana/web3.js"
import { background as sql } from "#db/client.ts"
import type { Effect, Issuer, Lookup, Operation, Plan, Recovery } from "#server/ledger/index.ts"
import { addressOf, publicKeyOf } from "#server/solana/addresses.ts"
import { operationMemo } from "#server/solana/memo.ts"
import { moveAuthority, readMintAuthorities } from "#server/solana/mint-authority.ts"
import { type ProgramError, SystemError } from "#server/solana/program-error.ts"
import type { ReadOptions, Rpc } from "#server/solana/rpc/rpc.ts"
import type { Address } from "#shared/address.ts"
import type { MintExtension } from "#shared/mint-extensions.ts"

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

/** The authority that each operation's mint was seen to have. */
export type SeenAuthorities = ReadonlyMap<string, Address | null>

type Move = Operation<{ to: Address }>

/** What all operations that replace a mint's authority have in common. */
export function authorityMove<Payload extends { to: Address }>(mintOf: (operation: Operation<Payload>) => PublicKey) {
  const read = async (operations: readonly Operation<Payload>[], rpc: Rpc, options: ReadOptions) => {
    const found = await readMintAuthorities(rpc, operations.map(mintOf), options)
    return new Map(operations.map(({ id }, i) => [id, found[i] ? addressOf(found[i]) : null]))
  }
  return {
    isUrgent: false,
    /** From a node that has seen everything that landed for the workspace. */
    async lookUp(operations: Operation<Payload>[], { workspaceId, chain }: Lookup): Promise<SeenAuthorities> {
      const [row] = await sql<{ slot: bigint | null }[]>`
        select max(slot) as slot from (select slot from transactions
          where workspace_id = ${workspaceId} and status = 'confirmed' order by created_at desc limit 100) t`
      return read(operations, chain.rpc, { since: Number(row?.slot ?? 0) })
    },
    settleAgain: null,
    release: null,
    memoId: ({ id }: { id: string }) => id,
    async effects(operations: Operation<Payload>[], { chain, slot }: Lookup & { slot: number }) {
      const found = await read(operations, chain.rpc, { since: slot, commitment: "finalized" })
      const effectOf = ({ id, payload }: Move): Effect => (found.get(id) === payload.to ? "there" : "absent")
      return new Map(operations.map((operation) => [operation.id, effectOf(operation)]))
    },
    rebuild: null,
    /** Reads the mint's current authority. */
    attach: null,
    recover: (): Recovery => ({ do: "retry" }),
  }
}

/** Plans moves by the database. After a failure or a vanished transaction, the mint's authority is read on chain. */
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
    /** The mint's authority according to the database, and its extensions. */
    known: (payload: Payload) => { authority: Address | null; extensions: readonly MintExtension[] }
  },
): Map<string, Plan> =>
  new Map(
    operations.map((operation): [string, Plan] => {
      const { id, attempts, redo, payload } = operation
      const { authority, extensions } = known(payload)
      const looks = attempts > 0 || redo
      const current = looks ? (seen?.get(id) ?? null) : authority
      if (looks && current === null) return [id, { do: "look up" }]
      const from = issuer.authority(current).publicKey
      if (addressOf(from) === payload.to) return [id, { do: "finish" }]
      const about = {
        mint: mintOf(operation),
        from,
        to: publicKeyOf(payload.to),
        extensions,
        memoText: operationMemo(id),
      }
      return [id, { do: "send", instructions: moveAuthority(about), signers: [] }]
    }),
  )
