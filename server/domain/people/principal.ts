import type { IncomingHttpHeaders } from "node:http"
import { sql } from "#db/client.ts"
import type { Principal, SignedIn } from "#domain/requests"
import { fail } from "#shared/errors.ts"
import type { Mode } from "#shared/mode.ts"
import { permissionsOf, type Role } from "#shared/roles.ts"
import { openAuth } from "./auth.ts"
import { lacksSecondFactor } from "./second-factor.ts"

/** The user signed in by the request's cookie, or null. Errors: database_unavailable. */
export async function signedInUser({ cookie }: IncomingHttpHeaders): Promise<SignedIn | null> {
  if (cookie === undefined || !/(?:^|;\s*)(?:__Secure-)?vouch\.session_token=/.test(cookie)) return null
  const auth = await openAuth()
  const found = await auth.api.getSession({ headers: new Headers({ cookie }) }).catch((cause) =>
    fail("database_unavailable", "Sign-in sessions are not available right now. Retry in a moment.", {
      cause,
      retryAfterSeconds: 1,
    }),
  )
  if (!found) return null
  const { user, session } = found
  return { id: user.id, name: user.name, email: user.email, sessionId: session.id }
}

/** A person in a workspace, with their current permissions. Errors: workspace_not_found, second_factor_required. */
export async function principalIn(user: SignedIn, workspaceId: string): Promise<Principal> {
  const [row] = await sql<{ mode: Mode; role: Role; lacks_factor: boolean }[]>`
    select w.mode, m.role, ${lacksSecondFactor(sql, user.sessionId)} as lacks_factor
    from workspaces w join accounts a on a.id = w.account_id join members m on m.account_id = a.id
    where w.id = ${workspaceId} and m.user_id = ${user.id}`
  if (!row) return fail("workspace_not_found", "This workspace does not exist, or you are not a member of it.")
  const { mode, role, lacks_factor } = row
  if (lacks_factor)
    fail("second_factor_required", "This account requires a second factor. Set one up, or sign in again with yours.")
  return {
    workspaceId,
    mode,
    scopes: permissionsOf(role),
    via: { kind: "user", userId: user.id, name: user.name, role },
  }
}
