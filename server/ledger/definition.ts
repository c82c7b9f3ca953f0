import type { TransactionInstruction } from "@solana/web3.js"
import type { z } from "zod"
import type { Queryable } from "#db/client.ts"
import type { Chain } from "#server/solana/chain.ts"
import type { Signer } from "#server/solana/keys.ts"
import type { ProgramError } from "#server/solana/program-error.ts"
import { decodeOperation, type Operation, type OperationRow, type Refusal } from "./operation.ts"

/** The workspace and keys that instructions are built for. It has no access to the chain: see `look`. */
export type Issuer = {
  workspaceId: string
  authority: Signer
  feePayer: Signer
  rentOf: (bytes: number) => number
}

/** The chain, as a workspace's operations are looked up on it. */
export type Lookup = { workspaceId: string; chain: Chain }

/** What an operation comes to when it is to be built. */
export type Plan =
  | { do: "send"; instructions: TransactionInstruction[]; signers: readonly Signer[] }
  /** Nothing is left to do on chain. */
  | { do: "finish" }
  | { do: "fail"; refusal: Refusal }
  /** What the chain says has to be known first, or anew: it stays queued, is looked up, and planned again. */
  | { do: "look" }

/** What happens to an operation after the chain refused its instruction. */
export type Recovery =
  | { do: "fail"; refusal: Refusal }
  /** Build it again: what it ran into may be gone. After three times it waits longer and longer. */
  | { do: "retry" }
  /** The fee payer has too little: it goes again when that may have changed, and nobody is to blame. */
  | { do: "wait" }
  /** Its effect is there already. */
  | { do: "finish" }

/** Where an operation's effect can be found on chain. */
export type Landing = { signature: string; slot: number }

/** An operation that ended well; `landing` is null where a plan found nothing left to do. */
export type Settled<Payload> = { operation: Operation<Payload>; landing: Landing | null }

/**
 * A kind of operation: all that there is to say about it. `Schema` is what it carries, `Facts` what it has to know of
 * the chain before it can be planned.
 */
export type OperationDefinition<Schema extends z.ZodType, Facts> = {
  /** Its name in the database. */
  kind: string
  /** What it does, on screens. */
  label: string
  /**
   * What it carries, as it is stored. A change must read what versions before wrote. `mint_config`, `wallet` and
   * `from_wallet` are what operations are found by.
   */
  payload: Schema
  /** Asks the chain what `plan` wants to know. No transaction of the database is open meanwhile. */
  look: ((operations: Operation<z.output<Schema>>[], at: Lookup) => Promise<Facts>) | null
  /**
   * Looks again at what may have changed since it was enqueued, and builds its instructions. Reads the database only:
   * a chain may take its time. `facts` is what `look` found of these operations a moment ago; null where nobody has
   * looked. It is asked again before what was signed is saved, where something has changed meanwhile (`voidPlans`), and
   * must come to the same where that is nothing to it.
   */
  plan(
    sql: Queryable,
    operations: Operation<z.output<Schema>>[],
    issuer: Issuer,
    facts: Facts | null,
  ): Promise<Map<string, Plan>>
  /**
   * Applies the effects to the domain, in the commit that marks the operations confirmed. All are of one workspace.
   * Rows of the domain are locked before operations, in the order of their ids.
   */
  settle:
    | ((sql: Queryable, settled: Settled<z.output<Schema>>[], workspaceId: string) => Promise<void>)
    | null
  /** Gives back what the operations held, in the commit that marks them failed. */
  release:
    | ((sql: Queryable, operations: Operation<z.output<Schema>>[], workspaceId: string) => Promise<void>)
    | null
  /** Reads an error of the chain. `instruction` counts from 0 within the operation. */
  recover(error: ProgramError, operation: Operation<z.output<Schema>>, instruction: number): Recovery
}

/** Defines a kind. Nothing may be left out: what a kind has no use for is null. */
export const defineOperation = <Schema extends z.ZodType, Facts = never>(
  definition: OperationDefinition<Schema, Facts>,
): OperationDefinition<Schema, Facts> => definition

// Each definition knows its own payloads and facts; the ledger hands them what they wrote and found themselves.
// biome-ignore lint/suspicious/noExplicitAny: no other type holds definitions of different payloads
type AnyDefinition = OperationDefinition<any, any>

/** All kinds that a ledger can move along. */
export class Operations {
  readonly #byKind: ReadonlyMap<string, AnyDefinition>

  constructor(definitions: readonly AnyDefinition[]) {
    this.#byKind = new Map(definitions.map((definition) => [definition.kind, definition]))
    if (this.#byKind.size < definitions.length) throw new Error("Two kinds of operation have one name.")
  }

  definitionOf(kind: string): AnyDefinition {
    const definition = this.#byKind.get(kind)
    if (!definition) throw new Error(`No kind of operation is named ${kind}.`)
    return definition
  }

  /** What a kind does, on screens. A newer version beside this one may have kinds that are not known here. */
  labelOf(kind: string): string {
    return this.#byKind.get(kind)?.label ?? kind
  }

  /** What belongs to each kind, in its order. */
  byKind<T>(all: readonly T[], rowOf: (one: T) => OperationRow): [AnyDefinition, T[]][] {
    const groups = Map.groupBy(all, (one) => rowOf(one).kind)
    return [...groups].map(([kind, group]) => [this.definitionOf(kind), group])
  }
}

/** The operations of rows of one kind. */
export const decodeAll = ({ payload }: AnyDefinition, rows: readonly OperationRow[]) =>
  rows.map((row) => decodeOperation(payload, row))
