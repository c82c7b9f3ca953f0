import type { IncomingHttpHeaders } from "node:http"
import { fail } from "#shared/errors.ts"
import type { Mode } from "#shared/mode.ts"
import type { Role } from "#shared/roles.ts"
import type { Permission } from "#shared/scopes.ts"

/** Who makes a request, in one workspace. */
export type Principal = {
  workspaceId: string
  mode: Mode
  scopes: ReadonlySet<Permission>
  via:
    | { kind: "key"; keyId: string }
    | { kind: "user"; userId: string; name: string; role: Role }
    /** The operator, through the command line. */
    | { kind: "operator" }
}

/** Errors: insufficient_scope, where the principal may not do what needs `scope`. */
export function requireScope({ scopes, via }: Principal, scope: Permission | undefined): void {
  if (scope === undefined || scopes.has(scope)) return
  fail(
    "insufficient_scope",
    via.kind === "user"
      ? `This needs ${scope}, which the ${via.role} role does not have. Ask an owner of the account.`
      : `The key lacks the scope ${scope}. Use a key that has it.`,
  )
}

/** A person who is signed in. */
export type SignedIn = { id: string; name: string; email: string; sessionId: string }

/** The claim that a request with an Idempotency-Key makes; committed with the first change that it causes. */
export type IdempotencyClaim = {
  workspaceId: string
  keyId: string
  idempotencyKey: string
  fingerprint: Buffer
  /** What this key has begun: in an earlier attempt that the request then joins, or in this one. */
  begun: string | null
}

export type Context = {
  requestId: string
  /** Which way it came in: with an API key below /v1, or from the pages. */
  transport: "api" | "pages"
  principal: Principal | null
  /** Of the dashboard's requests only. */
  user: SignedIn | null
  /** The header Idempotency-Key as a page sent it; over REST, the claim is made before the procedure is called. */
  idempotencyKey?: string | string[] | undefined
  idempotency: IdempotencyClaim | null
  /** A webhook as it came, for the procedure to verify before it reads it. */
  webhook: { headers: IncomingHttpHeaders; body: Buffer } | null
  /** Whether the caller asked not to wait for the chain (`Prefer: respond-async`). */
  respondAsync: boolean
  /** The answer's status, for a procedure to change: to 202, say. */
  answer: { status: number }
}
