import { background as sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { clock } from "#server/lib/time.ts"
import { AddressSet, KEY_BYTES } from "./address-set.ts"
import type { ListFile } from "./list-file.ts"

/** How many addresses one statement writes: a megabyte. */
const PART = 32_768

const versionColumns = columns("screening_lists", "name, digest, entries, loaded_at")
/** The version of a list that a process loaded last. */
export type ListVersion = RowOf<typeof versionColumns>

/** A list with its addresses. */
export type LoadedList = ListVersion & { addresses: AddressSet }

/** The versions that all processes use. */
export const readVersions = (names: readonly string[]): Promise<ListVersion[]> =>
  sql<ListVersion[]>`
    select ${sql(versionColumns)} from screening_lists where name = any(${names as string[]}) order by name`

/** The current version of a list; null if there is none. */
export const readStored = (name: string): Promise<LoadedList | null> =>
  sql.begin("isolation level repeatable read read only", async (sql) => {
    const [version] = await sql<ListVersion[]>`
      select ${sql(versionColumns)} from screening_lists where name = ${name}`
    if (!version) return null
    const addresses = new AddressSet(version.entries)
    for (let part = 0; addresses.size < version.entries; part++) {
      const [row] = await sql<{ keys: Buffer }[]>`
        select keys from screening_list_parts where name = ${name} and part = ${part}`
      if (!row) throw new Error(`part ${part} of the screening list ${name} is missing`)
      for (let at = 0; at < row.keys.length; at += KEY_BYTES) addresses.add(row.keys, at)
    }
    return { ...version, addresses }
  })

/**
 * Makes a file the list that every process uses. A file with less than half of the previous entries is held back unless
 * its digest is `accepted`, so that a wrong file clears no wallet. If several are stored at once, the last one counts.
 */
export const storeList = (
  name: string,
  { digest, addresses }: ListFile,
  accepted: string | undefined,
): Promise<ListVersion | { heldBack: ListVersion }> =>
  sql.begin(async (sql) => {
    const [before] = await sql<ListVersion[]>`
      select ${sql(versionColumns)} from screening_lists where name = ${name} for update`
    if (before?.digest === digest) return before
    const entries = addresses.size
    if (before && entries * 2 < before.entries && digest !== accepted) return { heldBack: before }
    const version = { name, digest, entries, loaded_at: clock.now() }
    await sql`
      insert into screening_lists ${sql(version)}
      on conflict (name) do update
        set digest = excluded.digest, entries = excluded.entries, loaded_at = excluded.loaded_at`
    await sql`delete from screening_list_parts where name = ${name}`
    let part = 0
    for (const keys of addresses.parts(PART)) {
      await sql`insert into screening_list_parts (name, part, keys) values (${name}, ${part}, ${keys})`
      part += 1
    }
    return version
  })
