import { z } from "zod"
import type { Queryable } from "#db/client.ts"
import { recordChanges, vouch } from "#domain/audit-log"
import type { Carried, Operation } from "#server/ledger/index.ts"
import { type MovementKind, reasonCodes } from "#shared/movements.ts"
import { storedAmount } from "../amount.ts"

/** Why an operation takes tokens out of a wallet. A restored database knows only that it did. */
export const grounds = {
  reason_code: z.enum(reasonCodes).optional(),
  reference: z.string().optional(),
  /** base64url */
  document_sha256: z.string().optional(),
}
export type Grounds = z.output<z.ZodObject<typeof grounds>>

/** What an operation takes out of holds, which it gives back if it fails. */
export const takenHolds = {
  holds: z.array(z.object({ id: z.string(), amount: storedAmount })).optional(),
  /** The hold that it executes. */
  hold_id: z.string().optional(),
}
export type TakenHolds = z.output<z.ZodObject<typeof takenHolds>>

/** Whether it is meant to happen while the token is paused. */
export const passesPause = { while_paused: z.boolean().optional() }
export type PassesPause = z.output<z.ZodObject<typeof passesPause>>

/** What the chain shows of it. If the transaction vanishes, it must pass the pause again. */
export const passedPause = ({ isResumed }: Pick<Carried, "isResumed">): PassesPause =>
  isResumed ? { while_paused: true } : {}

/** The recovery that moves a lost wallet's tokens to another wallet of its investor. */
export const recovers = { recovery_id: z.string().optional() }
export type Recovers = z.output<z.ZodObject<typeof recovers>>

/** Why tokens are taken, as the caller gave it. Null for a mint or a transfer, which need no reason. */
export type ForcedBy = Required<Pick<Grounds, "reason_code" | "reference">> &
  Pick<Grounds, "document_sha256"> & { holder_consent: boolean }

/** Notes in the audit log that tokens have been taken. Their request was noted with its author. */
export const noteForced = (
  sql: Queryable,
  workspaceId: string,
  kind: MovementKind,
  settled: readonly Operation<Grounds & { mint_config: string }>[],
): Promise<void> =>
  recordChanges(
    sql,
    workspaceId,
    settled.map(({ id, payload: { mint_config, reason_code, reference, document_sha256 } }) => ({
      author: vouch,
      action: `token.${kind}_confirmed`,
      subject: id,
      detail: { mint_config, reason_code, reference, document_sha256 },
    })),
  )
