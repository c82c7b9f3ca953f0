import type { TransactionInstruction } from "@solana/web3.js"
import type { Queryable } from "#db/client.ts"
import type { Chain } from "#server/solana/chain.ts"
import type { Signer } from "#server/solana/keys.ts"
import type { Operation, Refusal } from "./operation.ts"
import type { ProgramError } from "./program-error.ts"

/** For whom, and with what keys, instructions are built. It has no way to the chain: see `OperationKind.look`. */
export type Issuer = {
  workspaceId: string
  authority: Signer
  feePayer: Signer
  rentOf: (bytes: number) => number
}

/** The chain, as a workspace's operations are looked up on it. */
export type Lookup = { workspaceId: string; chain: Chain }

/** What an operation comes to when its turn is there. */
export type Plan =
  | { do: "send"; instructions: TransactionInstruction[]; signers: readonly Signer[] }
  /** Nothing is left to do on chain. */
  | { do: "finish" }
  | { do: "fail"; refusal: Refusal }
  /** What the chain says has to be known first, or anew: it stays in the line, is looked up, and planned again. */
  | { do: "look" }

/** What an error of the chain means for the operation whose instruction failed. */
export type Verdict =
  | { verdict: "fail"; refusal: Refusal }
  /** Build it again: what it ran into may be gone. After three times it waits longer and longer. */
  | { verdict: "retry" }
  /** The fee payer has too little: it goes again when that may have changed, and nobody is to blame. */
  | { verdict: "wait" }
  /** Its effect is there already. */
  | { verdict: "finish" }

/** Where an operation's effect can be found on chain. */
export type Landing = { signature: string; slot: number }

/** An operation that ended well; `landing` is null where a plan found nothing left to do. */
export type Settled = { operation: Operation; landing: Landing | null }

/** A kind of operation: what the ledger has to know of it, and all that it knows. `Facts` is what it asks the chain. */
export type OperationKind<Facts = unknown> = {
  /**
   * Looks again at what may have changed since it was enqueued, and builds its instructions. Reads the database only:
   * it runs while the operations are claimed, and a chain may take its time. `facts` is what `look` found of these
   * operations a moment ago; null where nobody has looked.
   */
  plan(
    sql: Queryable,
    operations: Operation[],
    issuer: Issuer,
    facts: Facts | null,
  ): Promise<Map<string, Plan>>
  /** Asks the chain what `plan` wants to know of operations. Runs while no transaction of the database is open. */
  look?(operations: Operation[], at: Lookup): Promise<Facts>
  /**
   * Applies the effects to the domain, in the commit that marks the operations confirmed. All are of one workspace.
   * Rows of the domain are locked before operations, in the order of their ids.
   */
  settle(sql: Queryable, settled: Settled[], workspaceId: string): Promise<void>
  /** Gives back what the operation held, in the commit that marks it failed. */
  release?(sql: Queryable, operations: Operation[]): Promise<void>
  /** Reads an error of the chain. `instruction` counts from 0 within the operation. */
  judge(error: ProgramError, operation: Operation, instruction: number): Verdict
}

const kinds = new Map<string, OperationKind>()

/** Makes a kind known. Each domain registers its own when it is loaded. */
export function registerKind<Facts>(name: string, kind: OperationKind<Facts>): void {
  kinds.set(name, kind as OperationKind)
}

export function kindOf(name: string): OperationKind {
  const kind = kinds.get(name)
  if (!kind) throw new Error(`No operation kind is named ${name}`)
  return kind
}

/** What belongs to each kind, in its order. */
export function byKind<T>(all: readonly T[], operationOf: (one: T) => Operation): [OperationKind, T[]][] {
  const groups = Map.groupBy(all, (one) => operationOf(one).kind)
  return [...groups].map(([name, group]) => [kindOf(name), group])
}
