import type { Fragment } from "postgres"
import { sql } from "#db/client.ts"
import { isId } from "#server/lib/ids.ts"
import { fail } from "#shared/errors.ts"
import { readNamed } from "./named.ts"

/** What a record may be about. */
type Subjects = {
  /** The text itself, and the ids and wallets of the people whom it names. */
  ids: string[]
  /** Those of them that are wallets. */
  wallets: string[]
}

/**
 * What records may be about if a text names it. The id of an attestation stands for that attestation alone. Errors:
 * validation_failed for the field if too many people match.
 */
export async function subjectsNamed(workspaceId: string, field: string, text: string): Promise<Subjects> {
  if (isId("att", text)) return { ids: [text], wallets: [] }
  const named = await readNamed(workspaceId, text)
  if (named?.ids === null) fail("validation_failed", `${field}: too many people match. Type more of the name.`)
  return { ids: [text, ...(named?.ids ?? [])], wallets: named?.wallets ?? [] }
}

/**
 * Whether a value that no index covers is one of many ids. Postgres hashes a subquery in every plan. With `any`, a plan
 * that is kept for other arrays compares each row with each id. `is true` stops it from joining the ids to each row.
 */
export const isOneOf = (value: Fragment, ids: string[]): Fragment =>
  sql`(${value} in (select unnest(${ids}::text[]))) is true`
