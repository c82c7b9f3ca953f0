import { isUniqueViolation, type Queryable, sql } from "#db/client.ts"
import type { Principal } from "#domain/requests"
import { newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import { type FilteredList, MOST_SAVED_FILTERS } from "#shared/saved-filters.ts"

export type SavedFilter = { id: string; name: string; filter: Record<string, string> }

/** A member in a workspace. Each has their own filters. */
type Own = Principal & { via: { kind: "user" } }

/** A member's filters of a list, by name. */
export async function listSavedFilters({ workspaceId, via }: Own, list: FilteredList): Promise<SavedFilter[]> {
  const rows = await sql<SavedFilter[]>`
    select id, name, filter from saved_filters
    where workspace_id = ${workspaceId} and user_id = ${via.userId} and list = ${list} order by lower(name), name`
  return [...rows]
}

/** Saves the filters of a list under a name. Errors: validation_failed for a taken name, or too many. */
export async function saveFilter(
  { workspaceId, via }: Own,
  { list, name, filter }: { list: FilteredList; name: string; filter: Record<string, string> },
): Promise<{ id: string }> {
  const id = newId("flt")
  await named(async (sql) => {
    // One at a time, so that two cannot pass the limit together.
    await sql`select from users where id = ${via.userId} for no key update`
    const own = await sql`
      select from saved_filters
      where workspace_id = ${workspaceId} and user_id = ${via.userId} and list = ${list} limit ${MOST_SAVED_FILTERS}`
    if (own.length === MOST_SAVED_FILTERS)
      fail("validation_failed", `name: a list keeps ${MOST_SAVED_FILTERS} filters. Delete one first.`)
    await sql`
      insert into saved_filters (workspace_id, user_id, id, list, name, filter, created_at)
      values (${workspaceId}, ${via.userId}, ${id}, ${list}, ${name}, ${sql.json(filter)}, ${clock.now()})`
  })
  return { id }
}

/** Errors: saved_filter_not_found, validation_failed for a taken name. */
export async function renameFilter(
  { workspaceId, via }: Own,
  { id, name }: { id: string; name: string },
): Promise<void> {
  await named(async (sql) => {
    const renamed = await sql`
      update saved_filters set name = ${name}
      where workspace_id = ${workspaceId} and user_id = ${via.userId} and id = ${id} returning id`
    if (renamed.length === 0) fail("saved_filter_not_found", "This filter no longer exists. Reload the page.")
  })
}

/** Deletes a filter. Deleting it twice is not an error. */
export async function removeFilter({ workspaceId, via }: Own, id: string): Promise<void> {
  await sql`
    delete from saved_filters where workspace_id = ${workspaceId} and user_id = ${via.userId} and id = ${id}`
}

async function named(change: (sql: Queryable) => Promise<void>): Promise<void> {
  try {
    await sql.begin(change)
  } catch (error) {
    if (!isUniqueViolation(error, "saved_filters_name")) throw error
    fail("validation_failed", "name: you already have a filter with this name. Choose another name.")
  }
}
