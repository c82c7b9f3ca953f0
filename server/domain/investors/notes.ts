import { type Queryable, sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { recordChange } from "#domain/audit-log"
import { seal, unseal } from "#domain/deployment"
import { holdPermission } from "#domain/people"
import type { Principal } from "#domain/requests"
import { badCursor, fromCursor, toCursor } from "#server/lib/cursor.ts"
import { isId, newId } from "#server/lib/ids.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import { requireInvestor } from "./read.ts"

/** The most characters in a note. */
export const MAX_NOTE = 2000
const MOST_NOTES = 500

const PAGE = 20

export type Note = {
  note_id: string
  text: string
  author: string
  /** Whether the reader wrote it. Only its author may edit it. */
  is_own: boolean
  can_delete: boolean
  created_at: string
  edited_at: string | null
}

const noteColumns = columns("investor_notes", "id, body, author_id, author_name, created_at, edited_at")

/** A member of the workspace. */
type Member = Principal & { via: Extract<Principal["via"], { kind: "user" }> }

/** All members who may see notes see all of them. An owner may also delete those of others. */
const mayDelete = ({ via, scopes }: Member, authorId: string) => authorId === via.userId || scopes.has("member:write")

/** The notes on an investor, newest first. Errors: investor_not_found, validation_failed for a cursor. */
export async function listNotes(
  member: Member,
  { investorId, cursor }: { investorId: string; cursor: string | null },
): Promise<{ data: Note[]; next_cursor: string | null }> {
  const { workspaceId, via } = member
  const of = await requireInvestor(workspaceId, investorId)
  const before = cursor === null ? null : await placeOf(workspaceId, cursor)
  const rows = await sql<RowOf<typeof noteColumns>[]>`
    select ${sql(noteColumns)} from investor_notes
    where workspace_id = ${workspaceId} and investor_id = ${of} ${before === null ? sql`` : sql`and seq < ${before}`}
    order by seq desc nulls last limit ${PAGE + 1}`
  const shown = rows.slice(0, PAGE)
  return {
    data: shown.map((row) => ({
      note_id: row.id,
      text: unseal(row.id, row.body),
      author: row.author_name,
      is_own: row.author_id === via.userId,
      can_delete: mayDelete(member, row.author_id),
      created_at: toTimestamp(row.created_at),
      edited_at: row.edited_at && toTimestamp(row.edited_at),
    })),
    next_cursor: rows.length > PAGE ? toCursor(shown.at(-1)!.id) : null,
  }
}

async function placeOf(workspaceId: string, cursor: string): Promise<bigint> {
  const [row] = await sql<{ seq: bigint }[]>`
    select seq from investor_notes where workspace_id = ${workspaceId} and id = ${fromCursor("note", cursor)}`
  return row?.seq ?? badCursor()
}

type Writing = { principal: Member; requestId: string }

/** Errors: investor_not_found, validation_failed for one note too many. */
export async function addNote(
  { principal, requestId }: Writing,
  { investorId, text }: { investorId: string; text: string },
): Promise<{ note_id: string }> {
  const { workspaceId, via } = principal
  const of = await requireInvestor(workspaceId, investorId)
  const id = newId("note")
  await sql.begin(async (sql) => {
    await holdPermission(sql, workspaceId, { principal, requestId }, "review:write")
    // Waits for a concurrent merge of the investor into another. The note then goes to the other investor.
    const added = await sql`
      insert into investor_notes (workspace_id, id, investor_id, body, author_id, author_name, created_at)
      select ${workspaceId}, ${id}, coalesce(i.merged_into, i.id), ${seal(id, text)}, ${via.userId}, ${via.name}, ${clock.now()}
      from (select id, merged_into, erased_at from investors
        where workspace_id = ${workspaceId} and id = ${of} for no key update) i
      where i.erased_at is null and (select count(*) from investor_notes where workspace_id = ${workspaceId} and investor_id = ${of}) < ${MOST_NOTES}`
    if (added.count === 0) {
      const [erased] = await sql`
        select from investors where workspace_id = ${workspaceId} and id = ${of} and erased_at is not null`
      if (erased) fail("validation_failed", "id: this person was erased. Notes about them are no longer accepted.")
      fail("validation_failed", `text: an investor has at most ${MOST_NOTES} notes. Delete old ones first.`)
    }
    await record(sql, { principal, requestId }, { investorId: of, noteId: id, what: "added" })
  })
  publishActivity(workspaceId)
  return { note_id: id }
}

/** Only its author may edit it. Errors: note_not_found, insufficient_scope. */
export const editNote = (writing: Writing, { noteId, text }: { noteId: string; text: string }) =>
  change(writing, noteId, "edited", async (sql, note) => {
    if (!note.isOwn) fail("insufficient_scope", "Only its author can edit a note. Add your own note instead.")
    await sql`
      update investor_notes set body = ${seal(noteId, text)}, edited_at = ${clock.now()}
      where workspace_id = ${writing.principal.workspaceId} and id = ${noteId}`
  })

/** Its author and owners may delete it. Errors: note_not_found, insufficient_scope. */
export const deleteNote = (writing: Writing, noteId: string) =>
  change(writing, noteId, "deleted", async (sql, note) => {
    if (!note.canDelete) fail("insufficient_scope", "Only its author and owners of the account can delete a note.")
    await sql`
      delete from investor_notes where workspace_id = ${writing.principal.workspaceId} and id = ${noteId}`
  })

async function change(
  { principal, requestId }: Writing,
  noteId: string,
  what: "edited" | "deleted",
  make: (sql: Queryable, note: { isOwn: boolean; canDelete: boolean }) => Promise<unknown>,
): Promise<Record<string, never>> {
  const { workspaceId, via } = principal
  await sql.begin(async (sql) => {
    await holdPermission(sql, workspaceId, { principal, requestId }, "review:write")
    const [note] = isId("note", noteId)
      ? await sql<{ investor_id: string; author_id: string }[]>`
          select investor_id, author_id from investor_notes
          where workspace_id = ${workspaceId} and id = ${noteId} for update`
      : []
    if (!note) return fail("note_not_found", "note_id: this workspace has no note with this id.")
    await make(sql, {
      isOwn: note.author_id === via.userId,
      canDelete: mayDelete(principal, note.author_id),
    })
    await record(sql, { principal, requestId }, { investorId: note.investor_id, noteId, what })
  })
  publishActivity(workspaceId)
  return {}
}

/** The audit log does not contain a note's text, because nothing can be erased from it. */
const record = (
  sql: Queryable,
  author: Writing,
  { investorId, noteId, what }: { investorId: string; noteId: string; what: string },
) =>
  recordChange(sql, author.principal.workspaceId, {
    author,
    action: `investor.note_${what}`,
    subject: investorId,
    detail: { note: noteId },
  })
