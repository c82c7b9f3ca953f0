import type { TransactionInstruction } from "@solana/web3.js"
import type { z } from "zod"
import type { Queryable } from "#db/client.ts"
import type { Chain } from "#server/solana/chain.ts"
import type { Signer } from "#server/solana/keys.ts"
import type { ProgramError } from "#server/solana/program-error.ts"
import type { Address } from "#shared/address.ts"
import type { Issuer } from "./issuer.ts"
import { decodeOperation, type Operation, type OperationRow, type Refusal } from "./operation.ts"
import type { Carried } from "./restore/carried.ts"

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
  /** Something else has to come first: it stays queued, and is planned again in a moment. */
  | { do: "defer" }

/** What happens to an operation after the chain refused its instruction. */
export type Recovery =
  | { do: "fail"; refusal: Refusal }
  /** Build it again: what it ran into may be gone. After three times it waits longer and longer. */
  | { do: "retry" }
  /** The fee payer has too little: it goes again when that may have changed, and nobody is to blame. */
  | { do: "wait" }
  /** Its effect is there already. */
  | { do: "finish" }

/**
 * Whether the chain looks as if an operation had taken effect. `unclear` where nothing on chain tells, because doing it
 * again changes nothing, or because others may have changed the same.
 */
export type Effect = "there" | "absent" | "unclear"

/** Where an operation's effect can be found on chain, and whether that is for good. */
export type Landing = { signature: string; slot: number; isFinal: boolean }

/** A transaction whose operations' rows are lost. */
type RebuildContext = {
  workspaceId: string
  signature: string
  /** The wallet of a token account; null where nobody knows any more. */
  ownerOf: (account: Address) => Address | null
}

/** An operation that ended well; `landing` is null where a plan found nothing left to do. */
type Settled<Payload> = { operation: Operation<Payload>; landing: Landing | null }

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
   * Whether it takes rights away. Then it goes before all that do not, and is signed as long as the fee payer has its fee:
   * it must not pay for an account.
   */
  isUrgent: boolean
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
   * must come to the same where that is nothing to it. What is done again (`redo`) is in the books: it goes by what the
   * chain says alone, and where that refuses it, it waits.
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
  /**
   * Notes where operations are on chain now that were confirmed before, vanished and were done again: their effects on the
   * domain stand. Null where nothing names the transaction.
   */
  settleAgain:
    | ((sql: Queryable, settled: Settled<z.output<Schema>>[], workspaceId: string) => Promise<void>)
    | null
  /** Gives back what the operations held, in the commit that marks them failed. */
  release:
    | ((sql: Queryable, operations: Operation<z.output<Schema>>[], workspaceId: string) => Promise<void>)
    | null
  /** The id in the memo of its transaction (`solana/memo.ts`): by it, the chain's own history tells what has landed. */
  memoId(operation: Operation<z.output<Schema>>): string
  /**
   * Looks for the effects of operations on chain, as they are for good in a slot or later. None of them is known to have
   * landed, and nothing that conflicts with one has landed since it was signed.
   */
  effects(
    operations: Operation<z.output<Schema>>[],
    at: Lookup & { slot: number },
  ): Promise<Map<string, Effect>>
  /**
   * Books what has landed under a memo whose operation's row is lost with its commit: does in this transaction what the
   * request did in that one, and returns what the operation carried, which is settled next. `nothing` where the books need
   * no operation for it, null where it is of another kind or the chain does not tell enough. A kind that moves nothing has
   * none: what it did is read from the chain whenever it matters.
   */
  rebuild:
    | ((sql: Queryable, carried: Carried, at: RebuildContext) => Promise<z.output<Schema> | "nothing" | null>)
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

  get all(): AnyDefinition[] {
    return [...this.#byKind.values()]
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

/** Effects of operations that nothing on chain tells of. */
export const unclearEffects = async (operations: readonly { id: string }[]): Promise<Map<string, Effect>> =>
  new Map(operations.map(({ id }) => [id, "unclear"]))
