import { type Queryable, repeatOnDeadlock, sql, type Transaction } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { columns, only, qualified, type RowOf } from "#db/rows.ts"
import type { Author } from "#domain/audit-log"
import type { Caller } from "#domain/requests"
import { fail } from "#shared/errors.ts"
import { permissionsOf, type Role } from "#shared/roles.ts"
import type { Permission } from "#shared/scopes.ts"

/** The user who makes a change; null for a key or the command line. */
export function userIdOf({ principal }: Author): string | null {
  if (!("via" in principal)) return principal.id
  return principal.via.kind === "user" ? principal.via.userId : null
}

/**
 * Requires that a person still has a permission, and locks it until the transaction ends, so that a simultaneous
 * removal or demotion sees everything that they created. Errors: workspace_not_found, insufficient_scope.
 */
export async function holdPermission(
  sql: Queryable,
  workspaceId: string,
  author: Author,
  permission: Permission,
): Promise<void> {
  const userId = userIdOf(author)
  if (userId === null) return
  const role = await heldRole(sql, workspaceId, userId)
  if (role === null) return fail("workspace_not_found", "This workspace does not exist, or you are not a member of it.")
  if (!permissionsOf(role).has(permission))
    fail(
      "insufficient_scope",
      `This needs the scope ${permission}, which the ${role} role does not have. Ask an owner of the account.`,
    )
}

/** Changes something in the caller's workspace, as long as they have the permission, and refreshes open pages. */
export async function changeAs<T>(
  caller: Caller,
  permission: Permission,
  change: (sql: Transaction) => Promise<T>,
): Promise<T> {
  const { workspaceId } = caller.principal
  const changed = await repeatOnDeadlock(() =>
    sql.begin(async (sql) => {
      await holdPermission(sql, workspaceId, caller, permission)
      return change(sql)
    }),
  )
  publishActivity(workspaceId)
  return changed
}

/** Whether a person is a member with a permission. Locks it until the transaction ends. */
export async function stillHasPermission(
  sql: Queryable,
  workspaceId: string,
  userId: string,
  permission: Permission,
): Promise<boolean> {
  const role = await heldRole(sql, workspaceId, userId)
  return role !== null && permissionsOf(role).has(permission)
}

/** A person's role, locked until the transaction ends; null if they are not a member. */
export async function heldRole(sql: Queryable, workspaceId: string, userId: string): Promise<Role | null> {
  const [member] = await sql<{ role: Role }[]>`
    select m.role from workspaces w join members m on m.account_id = w.account_id
    where w.id = ${workspaceId} and m.user_id = ${userId} for share of m`
  return member?.role ?? null
}

const accountColumns = columns("accounts", "id, name, second_factor_required")
export type Account = RowOf<typeof accountColumns>

/**
 * A workspace's account. With `lock`, no other transaction can change it, or its members, until this one ends. The lock
 * lets others write to the audit log, which refers to the account: they may hold memberships that this one waits for.
 */
export async function accountOf(sql: Queryable, workspaceId: string, { lock = false } = {}): Promise<Account> {
  const rows = await sql<Account[]>`
    select ${sql(qualified("a", accountColumns))} from workspaces w join accounts a on a.id = w.account_id
    where w.id = ${workspaceId} ${lock ? sql`for no key update of a` : sql``}`
  return only(rows)
}

/** Errors: member_not_found. */
export async function requireMember(sql: Queryable, accountId: string, userId: string) {
  const [member] = await sql<{ role: Role; admitted_by: string | null }[]>`
    select role, admitted_by from members where account_id = ${accountId} and user_id = ${userId}`
  return member ?? fail("member_not_found", "user_id: not a member of this account. Reload the list of members.")
}
