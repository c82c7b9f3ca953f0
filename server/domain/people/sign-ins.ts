import { sql } from "#db/client.ts"
import type { SignedIn } from "#domain/requests"
import { clock, toTimestamp } from "#server/lib/time.ts"

/** A browser in which the user is signed in. Its token is never shown, not even to the page. */
export type SignIn = {
  id: string
  ip_address: string | null
  user_agent: string | null
  signed_in_at: string
  /** To the hour. */
  last_active_at: string
  /** Whether it is the current session. */
  current: boolean
}

/** The user's sign-in sessions, latest first. */
export async function listSignIns({ id, sessionId }: SignedIn): Promise<SignIn[]> {
  const rows = await sql<
    {
      id: string
      ip_address: string | null
      user_agent: string | null
      created_at: Date
      updated_at: Date
    }[]
  >`
    select id, ip_address, user_agent, created_at, updated_at from user_sessions
    where user_id = ${id} and expires_at > ${clock.now()} order by updated_at desc, id`
  return rows.map(({ created_at, updated_at, ...row }) => ({
    ...row,
    signed_in_at: toTimestamp(created_at),
    last_active_at: toTimestamp(updated_at),
    current: row.id === sessionId,
  }))
}

/** Signs the user out in one browser, or with `"all"` in every one. A session that has ended stays ended. */
export async function endSignIns({ id }: SignedIn, which: { id: string } | "all"): Promise<void> {
  await sql`
    delete from user_sessions where user_id = ${id} ${which === "all" ? sql`` : sql`and id = ${which.id}`}`
}
