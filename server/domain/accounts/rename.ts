import { isUniqueViolation, sql } from "#db/client.ts"
import { recordAccountChange } from "#domain/audit-log"
import { holdPermission } from "#domain/people"
import type { Principal } from "#domain/requests"
import { fail } from "#shared/errors.ts"

/** Renames the account of a workspace, for the command line too. Errors: account_exists. */
export async function renameAccount({
  principal,
  requestId,
  name,
}: {
  principal: Principal
  requestId: string
  name: string
}): Promise<{ name: string }> {
  const author = { principal, requestId }
  try {
    await sql.begin(async (sql) => {
      await holdPermission(sql, principal.workspaceId, author, "member:write")
      const [account] = await sql<{ id: string; name: string }[]>`
        select a.id, a.name from workspaces w join accounts a on a.id = w.account_id
        where w.id = ${principal.workspaceId} for update of a`
      if (account!.name === name) return
      await sql`update accounts set name = ${name} where id = ${account!.id}`
      await recordAccountChange(sql, account!.id, {
        author,
        action: "account.renamed",
        subject: account!.id,
        detail: { before: account!.name, after: name },
      })
    })
  } catch (error) {
    if (!isUniqueViolation(error, "accounts_name_unique")) throw error
    fail("account_exists", "name: another account on this server already has this name. Choose a different one.")
  }
  return { name }
}
