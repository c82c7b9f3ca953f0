import type { IncomingHttpHeaders } from "node:http"
import { fail } from "#shared/errors.ts"
import type { Mode } from "#shared/mode.ts"
import type { Role } from "#shared/roles.ts"
import type { Permission } from "#shared/scopes.ts"

/** The principal of a request, in one workspace. */
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

/** A member of the workspace, signed in. */
export type Member = Principal & { via: { kind: "user" } }

/** Who makes a change, and the request's id for the audit log. */
export type Caller<Of extends Principal = Principal> = { principal: Of; requestId: string }

/** Errors: insufficient_scope if the principal lacks `scope`. */
export function requireScope({ scopes, via }: Principal, scope: Permission | undefined): void {
  if (scope === undefined || scopes.has(scope)) return
  fail(
    "insufficient_scope",
    via.kind === "user"
      ? `This needs the scope ${scope}, which the ${via.role} role does not have. Ask an owner of the account.`
      : `The key lacks the scope ${scope}. Use a key that has it.`,
  )
}

/** A person who is signed in. */
export type SignedIn = { id: string; name: string; email: string; sessionId: string }

/** The claim of a request with an Idempotency-Key. It is committed with the request's first change. */
export type IdempotencyClaim = {
  workspaceId: string
  keyId: string
  idempotencyKey: string
  fingerprint: Buffer
  /** What this key has begun, in this attempt or in an earlier one that the request joins. */
  begun: string | null
}

/** A change that a request or the command line makes. */
export type Command = { principal: Principal; requestId: string | null; idempotency: IdempotencyClaim | null }

export type Context = {
  requestId: string
  /** How the request came in: with an API key below /v1, or from the pages. */
  transport: "api" | "pages"
  principal: Principal | null
  /** Set only for the dashboard's requests. */
  user: SignedIn | null
  /** The header Idempotency-Key that a page sent. Over REST, the claim is made before the procedure is called. */
  idempotencyKey?: string | string[] | undefined
  idempotency: IdempotencyClaim | null
  /** A webhook as received, for the procedure to verify before it reads it. */
  webhook: { headers: IncomingHttpHeaders; body: Buffer } | null
  /** Whether the caller does not want to wait for the chain (`Prefer: respond-async`). */
  respondAsync: boolean
  /**
   * The response's status, which a procedure can change, for example to 202. A procedure whose endpoint answers with
   * text (`meta.media`) puts its parts here.
   */
  answer: { status: number; parts?: AsyncIterable<string> }
}
