import { isUniqueViolation, type Queryable, sql } from "#db/client.ts"
import { includedIn, type PlanName } from "#domain/accounts"
import { type Change, recordAccountChange, theOperator } from "#domain/audit-log"
import { authorityOfNew } from "#domain/deployment"
import { builtInSchemas } from "#domain/schemas"
import { firstConfig, insertConfig } from "#domain/tokens"
import { newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { type Mode, modes } from "#shared/mode.ts"

export type Account = { id: string; name: string; workspaces: Record<Mode, string> }

export class AccountExists extends Error {
  constructor(name: string) {
    super(`name: the account ${JSON.stringify(name)} already exists. Choose another name.`)
  }
}

/** Creates an account with workspaces and schemas. Throws AccountExists, or SignerFailure without VOUCH_SIGNER. */
export async function createAccount({
  name,
  plan,
  quota = null,
}: {
  name: string
  plan: PlanName
  quota?: number | null
}): Promise<Account> {
  const now = clock.now()
  const account: Account = { id: newId("acct"), name, workspaces: { live: newId("ws"), test: newId("ws") } }
  try {
    await sql.begin(async (sql) => {
      await sql`
        insert into accounts (id, name, plan, included, created_at)
        values (${account.id}, ${name}, ${plan}, ${includedIn(plan, quota)}, ${now})`
      for (const mode of modes) {
        const workspaceId = account.workspaces[mode]
        const authority = authorityOfNew(mode, workspaceId)
        await sql`
          insert into workspaces (id, account_id, mode, authority, created_at)
          values (${workspaceId}, ${account.id}, ${mode}, ${authority.address}, ${now})`
        await sql`
          insert into workspace_authorities (workspace_id, address, uri, created_at)
          values (${workspaceId}, ${authority.address}, ${authority.uri}, ${now})`
        await sql`
          insert into schemas (workspace_id, id, name, validity_days, created_at)
          select ${workspaceId}, id, name, validity_days, ${now}
          from jsonb_to_recordset(${sql.json(builtInSchemas)}) as s(id text, name text, validity_days int)`
        await insertConfig(sql, workspaceId, firstConfig)
      }
      const detail = { name, plan, included: includedIn(plan, quota) }
      const change: Change = { author: theOperator, action: "account.created", subject: account.id, detail }
      await recordAccountChange(sql, account.id, change)
    })
  } catch (error) {
    if (isUniqueViolation(error, "accounts_name_unique")) throw new AccountExists(name)
    throw error
  }
  return account
}

/** The account with this name, or null. */
export async function findAccount(name: string, within: Queryable = sql): Promise<Account | null> {
  const rows = await within<{ id: string; mode: Mode; workspace_id: string }[]>`
    select a.id, w.mode, w.id as workspace_id
    from accounts a join workspaces w on w.account_id = a.id
    where a.name = ${name}`
  if (!rows[0]) return null
  const workspaces = Object.fromEntries(rows.map((row) => [row.mode, row.workspace_id])) as Record<Mode, string>
  return { id: rows[0].id, name, workspaces }
}
