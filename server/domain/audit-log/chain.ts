import { hash } from "node:crypto"
import type { AuditActor } from "#shared/statuses.ts"

/** What the hash of an entry covers. Values that are looked up when the log is read are not part of it. */
export type ChainedEntry = {
  workspace_id: string | null
  at: Date
  action: string
  actor: AuditActor
  actor_id: string | null
  actor_name: string
  subject: string
  detail: Record<string, unknown>
  request_id: string | null
}

const HASH_BYTES = 32
/** The hash before the first entry. */
export const FIRST_HASH = Buffer.alloc(HASH_BYTES)

export const scopeOf = ({ workspace_id }: Pick<ChainedEntry, "workspace_id">) =>
  workspace_id === null ? "account" : "workspace"

/**
 * The text of an entry that is hashed: JSON in ASCII, so that no encoding and no spreadsheet changes it. A spreadsheet
 * could take `=`, `+`, `-` and `@` for the start of a formula, so they are escaped as well. Every link depends on every
 * character, so this function must never change.
 */
export function hashedText(place: bigint, entry: ChainedEntry): string {
  const { at, action, actor, actor_id, actor_name, subject, detail, request_id } = entry
  const about = [action, actor, actor_id, actor_name, subject, scopeOf(entry), JSON.stringify(detail), request_id]
  return JSON.stringify([Number(place), at.getTime(), ...about]).replace(
    /[^ -~]|[=+\-@]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
}

/** A hash as in exports and memos. Base64 may begin with a minus, which a spreadsheet takes for a formula. */
export const showHash = (hash: Uint8Array): string => Buffer.from(hash).toString("hex")

/** The hash of an entry: SHA-256 of the shown hash before it and the entry's text. */
export const linkHash = (previous: Uint8Array, text: string): Buffer =>
  hash("sha256", showHash(previous) + text, "buffer")
