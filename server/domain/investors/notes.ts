import { type Queryable, sql } from "#db/client.ts"
import { columns, type RowOf, timestamped } from "#db/rows.ts"
import { seqAt } from "#db/seq-at.ts"
import { type Change, recordChange } from "#domain/audit-log"
import { seal, unseal } from "#domain/deployment"
import { changeAs } from "#domain/people"
import type { Caller, Member } from "#domain/requests"
import { pageOf } from "#server/lib/cursor.ts"
import { isId, newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import { requireInvestor } from "./read.ts"

/** The most characters in a note. */
export const MAX_NOTE = 2000
const MOST_NOTES = 500

const PAGE = 20

const noteColumns = columns("investor_notes", "id, body, author_id, author_name, created_at, edited_at")

/** All members who may see notes see all of them. An owner may also delete those of others. */
const mayDelete = ({ via, scopes }: Member, authorId: string) => authorId === via.userId || scopes.has("member:write")

/** The notes on an investor, newest first. Errors: investor_not_found, validation_failed for a cursor. */
export async function listNotes(member: Member, { investorId, cursor }: { investorId: string; cursor: string | null }) {
  const { workspaceId, via } = member
  const of = await requireInvestor(workspaceId, investorId)
  const before = cursor === null ? null : await seqAt("investor_notes", "note", workspaceId, cursor)
  const rows = await sql<RowOf<typeof noteColumns>[]>`
    select ${sql(noteColumns)} from investor_notes
    where workspace_id = ${workspaceId} and investor_id = ${of} ${before === null ? sql`` : sql`and seq < ${before}`}
    order by seq desc nulls last limit ${PAGE + 1}`
  return pageOf(rows, PAGE, ({ id, body, author_id, author_name, ...times }) => ({
    note_id: id,
    text: unseal(id, body),
    author: author_name,
    /** Whether the reader wrote it. Only its author may edit it. */
    is_own: author_id === via.userId,
    can_delete: mayDelete(member, author_id),
    ...timestamped(times),
  }))
}

/** Errors: investor_not_found, validation_failed for one note too many. */
export async function addNote(
  caller: Caller<Member>,
  { investorId, text }: { investorId: string; text: string },
): Promise<{ note_id: string }> {
  const { workspaceId, via } = caller.principal
  const of = await requireInvestor(workspaceId, investorId)
  const id = newId("note")
  return changeAs(caller, "review:write", async (sql) => {
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
    await record(sql, caller, { investorId: of, noteId: id, what: "added" })
    return { note_id: id }
  })
}

/** Only its author may edit it. Errors: note_not_found, insufficient_scope. */
export const editNote = (caller: Caller<Member>, { noteId, text }: { noteId: string; text: string }) =>
  change(caller, noteId, "edited", async (sql, authorId) => {
    const { workspaceId, via } = caller.principal
    if (authorId !== via.userId)
      fail("insufficient_scope", "Only its author can edit a note. Add your own note instead.")
    await sql`
      update investor_notes set body = ${seal(noteId, text)}, edited_at = ${clock.now()}
      where workspace_id = ${workspaceId} and id = ${noteId}`
  })

/** Its author and owners may delete it. Errors: note_not_found, insufficient_scope. */
export const deleteNote = (caller: Caller<Member>, noteId: string) =>
  change(caller, noteId, "deleted", async (sql, authorId) => {
    if (!mayDelete(caller.principal, authorId))
      fail("insufficient_scope", "Only its author and owners of the account can delete a note.")
    await sql`delete from investor_notes where workspace_id = ${caller.principal.workspaceId} and id = ${noteId}`
  })

const change = (
  caller: Caller<Member>,
  noteId: string,
  what: "edited" | "deleted",
  make: (sql: Queryable, authorId: string) => Promise<unknown>,
): Promise<Record<string, never>> =>
  changeAs(caller, "review:write", async (sql) => {
    const [note] = isId("note", noteId)
      ? await sql<{ investor_id: string; author_id: string }[]>`
          select investor_id, author_id from investor_notes
          where workspace_id = ${caller.principal.workspaceId} and id = ${noteId} for update`
      : []
    if (!note) return fail("note_not_found", "note_id: this workspace has no note with this id.")
    await make(sql, note.author_id)
    await record(sql, caller, { investorId: note.investor_id, noteId, what })
    return {}
  })

/** The audit log does not contain a note's text, because nothing can be erased from it. */
const record = (
  sql: Queryable,
  author: Caller,
  { investorId, noteId, what }: { investorId: string; noteId: string; what: "added" | "edited" | "deleted" },
) => {
  const change: Change = { author, action: `investor.note_${what}`, subject: investorId, detail: { note: noteId } }
  return recordChange(sql, author.principal.workspaceId, change)
}
