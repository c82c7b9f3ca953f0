import { sql } from "#db/client.ts"
import { columns, type RowOf, type Timestamped, timestamped } from "#db/rows.ts"
import { recordAccountChange } from "#domain/audit-log"
import { deployment } from "#domain/deployment"
import type { SignedIn } from "#domain/requests"
import { clock } from "#server/lib/time.ts"
import type { Mode } from "#shared/mode.ts"
import { permissionsOf, type Role } from "#shared/roles.ts"
import { mailer } from "./mail.ts"
import { hasSecondFactor, lacksSecondFactor } from "./second-factor.ts"

const userColumns = columns("users", "two_factor_enabled, email_verified, time_zone")

/** The signed-in user and their workspaces. */
export async function me({ id, name, email, sessionId }: SignedIn) {
  type Row = { id: string; account_id: string; account: string; mode: Mode; role: Role; lacks_factor: boolean }
  const [[person], workspaces] = await Promise.all([
    sql<(RowOf<typeof userColumns> & { has_factor: boolean })[]>`
      select ${sql(userColumns)}, ${hasSecondFactor()} as has_factor from users u where id = ${id}`,
    sql<Row[]>`
      select w.id, w.account_id, a.name as account, w.mode, m.role, ${lacksSecondFactor(sql, sessionId)} as lacks_factor
      from members m join accounts a on a.id = m.account_id join workspaces w on w.account_id = a.id
      where m.user_id = ${id} order by a.name, a.id, w.mode desc`,
  ])
  return {
    user: {
      id,
      name,
      email,
      /** Whether they opened a link mailed to the address; null if this server cannot send mail. */
      email_confirmed: mailer().send && (person?.email_verified ?? false),
      two_factor: person?.two_factor_enabled ?? false,
      /** Whether they have an authenticator app or a passkey. */
      has_second_factor: person?.has_factor ?? false,
      /** The time zone for showing times; null for the browser's. */
      time_zone: person?.time_zone ?? null,
    },
    /** In each account, test comes before live, because newcomers begin there. */
    workspaces: workspaces.map(({ lacks_factor, ...workspace }) => ({
      ...workspace,
      permissions: [...permissionsOf(workspace.role)],
      /** What the account requires first: setting up a second factor, or signing in with the existing one. */
      demands: lacks_factor ? (person?.has_factor ? ("sign_in" as const) : ("second_factor" as const)) : null,
      /** Notices about the mode, for example that nothing in it is real. */
      notices: noticesOf(workspace.mode),
    })),
  }
}
export type Me = Awaited<ReturnType<typeof me>>

/**
 * Changes the user's name. Existing audit entries keep the old name, and so does the entry of this change, so that no
 * one can act under a colleague's name without a trace.
 */
export async function renameUser(user: SignedIn, name: string, requestId: string): Promise<{ name: string }> {
  const { id } = user
  await sql.begin(async (sql) => {
    const renamed = await sql`
      update users set name = ${name}, updated_at = ${clock.now()} where id = ${id} and name <> ${name} returning id`
    if (renamed.length === 0) return
    const accounts = await sql<{ account_id: string }[]>`
      select account_id from members where user_id = ${id} order by account_id`
    const author = { principal: user, requestId }
    for (const { account_id } of accounts)
      await recordAccountChange(sql, account_id, { author, action: "member.renamed", subject: id })
  })
  return { name }
}

/** Sets the user's time zone. */
export async function setTimeZone({ id }: SignedIn, timeZone: string | null): Promise<{ time_zone: string | null }> {
  await sql`update users set time_zone = ${timeZone}, updated_at = ${clock.now()} where id = ${id}`
  return { time_zone: timeZone }
}

/** Whether it is one of IANA's names. */
export function isTimeZone(name: string): boolean {
  // An offset is not a time zone: it is right for only half of the year.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat("en", { timeZone: name })
    return true
  } catch {
    return false
  }
}

function noticesOf(mode: Mode): string[] {
  const chain = deployment.chains[mode]
  const { default: common, bySchema } = deployment.providers[mode]
  const inUse = new Set([...(common ? [common] : []), ...bySchema.values()])
  return [
    ...(chain === null
      ? [`No Solana RPC is configured for ${mode} mode. Nothing is issued on chain.`]
      : chain.embedded
        ? ["Local test network: tokens and credentials exist only on this server."]
        : []),
    ...(inUse.size === 0 ? [`No KYC provider is configured for ${mode} mode. Wallets cannot be verified.`] : []),
    ...[...inUse].flatMap(({ testOnly }) => testOnly?.notice ?? []),
  ]
}

type SignIn = {
  id: string
  ip_address: string | null
  user_agent: string | null
  signed_in_at: Date
  /** To the hour. */
  last_active_at: Date
  /** Whether it is the current session. */
  current: boolean
}

/** The browsers in which the user is signed in, latest first. Their tokens are never shown, not even to the page. */
export async function listSignIns({ id, sessionId }: SignedIn): Promise<Timestamped<SignIn>[]> {
  const rows = await sql<SignIn[]>`
    select id, ip_address, user_agent, created_at as signed_in_at, updated_at as last_active_at,
      id = ${sessionId} as current
    from user_sessions where user_id = ${id} and expires_at > ${clock.now()} order by updated_at desc, id`
  return rows.map(timestamped)
}

/** Signs the user out in one browser, or with `"all"` in every one. A session that has ended stays ended. */
export async function endSignIns({ id }: SignedIn, which: { id: string } | "all"): Promise<void> {
  await sql`
    delete from user_sessions where user_id = ${id} ${which === "all" ? sql`` : sql`and id = ${which.id}`}`
}
