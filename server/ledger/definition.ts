import type { TransactionInstruction, VersionedMessage } from "@solana/web3.js"
import type { z } from "zod"
import type { Queryable } from "#db/client.ts"
import type { Chain } from "#server/solana/chain.ts"
import type { Signer } from "#server/solana/keys.ts"
import type { ProgramError } from "#server/solana/program-error.ts"
import type { Address } from "#shared/address.ts"
import type { Issuer } from "./issuer.ts"
import { decodeOperation, type Operation, type OperationRow, type Refusal } from "./operation.ts"
import type { Carried } from "./restore/carried.ts"

/** The chain, as the operations of a workspace read it. */
export type Lookup = { workspaceId: string; chain: Chain }

/** The plan of an operation that is about to be built. */
export type Plan =
  | { do: "send"; instructions: TransactionInstruction[]; signers: readonly Signer[] }
  /** Nothing is left to do on chain. */
  | { do: "finish" }
  | { do: "fail"; refusal: Refusal }
  /** The chain has to be read first, or again: the operation stays queued, is looked up and planned again. */
  | { do: "look up" }
  /** Something else has to happen first: the operation stays queued and is planned again in a moment. */
  | { do: "defer" }

/** Sends instructions that only the workspace's own keys sign. */
export const send = (instructions: TransactionInstruction[]): Plan => ({ do: "send", instructions, signers: [] })

/** What happens to an operation after the chain refused its instruction. */
export type Recovery =
  | { do: "fail"; refusal: Refusal }
  /** Build it again: the obstacle may be gone. After three attempts, the pauses grow. */
  | { do: "retry" }
  /** The fee payer has too little SOL: the operation is retried when that may have changed, and counts no failure. */
  | { do: "wait" }
  /** Its effect is already on chain. */
  | { do: "finish" }

/**
 * Whether the chain shows the effect of an operation. `unclear` if it cannot tell, because repeating the operation
 * changes nothing or because others may have made the same change.
 */
export type Effect = "there" | "absent" | "unclear"

/** An operation's place on chain: its transaction, the slot, and whether that is final. */
export type Landing = { signature: string; slot: number; isFinal: boolean }

/** A transaction whose operations' rows are lost. */
type RebuildContext = {
  workspaceId: string
  signature: string
  /** The time of its block; null if the node does not know it. */
  landedAt: Date | null
  /** The wallet of a token account; null if it is no longer known. */
  ownerOf: (account: Address) => Address | null
}

/** The transaction of an operation that a restored database has not seen landing. */
type Attached = { carried: Carried; message: VersionedMessage }

/** An operation that succeeded. `landing` is null if its plan found nothing left to do. */
type Settled<Payload> = Operation<Payload> & { landing: Landing | null }

/** A kind of operation. `Schema` is its payload, `Facts` what it reads from the chain before it is planned. */
export type OperationDefinition<Schema extends z.ZodType, Facts> = {
  /** Its name in the database. */
  kind: string
  /** What it does, as screens show it. */
  label: string
  /** Whether it takes rights away: it goes before all others and needs only the fee. It must not pay for an account. */
  isUrgent: boolean
  /**
   * Its payload, as stored. A changed schema must still read what earlier versions wrote. `mint_config`, `wallet` and
   * `from_wallet` are also columns, for searching.
   */
  payload: Schema
  /** Reads from the chain what `plan` needs. No database transaction is open while it waits. */
  lookUp: ((operations: Operation<z.output<Schema>>[], at: Lookup) => Promise<Facts>) | null
  /**
   * Checks what may have changed since the operation was queued, and builds its instructions. It reads only the
   * database. `facts` is what `lookUp` just found; null if the chain was not read. After a change (`voidPlans`) it is
   * called again and must return the same plan unless the change affects it. An operation that is redone (`redo`) is
   * already in the books: it depends only on the chain, and if the chain refuses it, it waits.
   */
  plan(
    sql: Queryable,
    operations: Operation<z.output<Schema>>[],
    issuer: Issuer,
    facts: Facts | null,
  ): Promise<Map<string, Plan>>
  /**
   * Applies the effects to the domain, in the commit that marks the operations confirmed. All are from one workspace.
   * Rows of the domain are locked before operations, in the order of their ids.
   */
  settle: ((sql: Queryable, settled: Settled<z.output<Schema>>[], workspaceId: string) => Promise<void>) | null
  /**
   * Notes the new transaction of operations that were confirmed, vanished and were redone. Their effects on the
   * domain stay. Null if no row of the domain names the transaction.
   */
  settleAgain: ((sql: Queryable, settled: Settled<z.output<Schema>>[], workspaceId: string) => Promise<void>) | null
  /** Releases what the operations reserved, in the commit that marks them failed. */
  release: ((sql: Queryable, operations: Operation<z.output<Schema>>[], workspaceId: string) => Promise<void>) | null
  /** The id in the memo of its transaction (`solana/memo.ts`), by which the history on chain shows what landed. */
  memoId(operation: Operation<z.output<Schema>>): string
  /**
   * Looks for the effects of operations on chain, finalized in a slot or later. None of them is known to have landed,
   * and nothing that conflicts with one has landed since it was signed.
   */
  effects(operations: Operation<z.output<Schema>>[], at: Lookup & { slot: number }): Promise<Map<string, Effect>>
  /**
   * Books a transaction that landed, but whose operation was lost with its commit. It repeats in this transaction what
   * the request did in the lost one and returns the operation's payload, which is settled next. Returns `nothing` if
   * the books need no operation for it, and null if it is of another kind or the chain shows too little. Kinds that
   * move nothing need no `rebuild`: their effect is read from the chain whenever it matters.
   */
  rebuild:
    | ((sql: Queryable, carried: Carried, at: RebuildContext) => Promise<z.output<Schema> | "nothing" | null>)
    | null
  /**
   * Notes what the chain shows of an operation that is unfinished in a restored database, although its transaction has
   * landed: what its plan recorded after the backup. Null if a plan records nothing.
   */
  attach: ((sql: Queryable, operation: Operation<z.output<Schema>>, landed: Attached) => Promise<void>) | null
  /** Decides what an error of the chain means. `instruction` counts from 0 within the operation. */
  recover(error: ProgramError, operation: Operation<z.output<Schema>>, instruction: number): Recovery
}

/** Defines a kind. Every field is required: what a kind does not use is null. */
export const defineOperation = <Schema extends z.ZodType, Facts = never>(
  definition: OperationDefinition<Schema, Facts>,
): OperationDefinition<Schema, Facts> => definition

// Each definition knows its own payloads and facts, and the ledger passes it only what that definition produced.
// biome-ignore lint/suspicious/noExplicitAny: no other type holds definitions of different payloads
type AnyDefinition = OperationDefinition<any, any>

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

  /** What a kind does, as screens show it. A newer version that runs at the same time may have unknown kinds. */
  labelOf(kind: string): string {
    return this.#byKind.get(kind)?.label ?? kind
  }

  byKind<Row extends OperationRow>(rows: readonly Row[]): [AnyDefinition, Row[]][] {
    return [...Map.groupBy(rows, ({ kind }) => kind)].map(([kind, own]) => [this.definitionOf(kind), own])
  }
}

export const decodeAll = ({ payload }: AnyDefinition, rows: readonly OperationRow[]) =>
  rows.map((row) => decodeOperation(payload, row))

/** The effects of operations that leave no trace on chain. */
export const unclearEffects = async (operations: readonly { id: string }[]): Promise<Map<string, Effect>> =>
  new Map(operations.map(({ id }) => [id, "unclear"]))
