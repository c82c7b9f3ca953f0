import { hash, randomBytes } from "node:crypto"
import type { Queryable } from "#db/client.ts"
import { fail } from "#shared/errors.ts"

/** A secret for a link: 32 random bytes, base64url. */
export const newToken = (): string => randomBytes(32).toString("base64url")

/** The stored hash, so that a copy of the database cannot open links. */
export const hashToken = (token: string): Buffer => hash("sha256", token, "buffer")

/** The kinds of links for a user, and how long each works. */
const validity = { reset: "1 hour", confirm: "1 day" } as const
type LinkKind = keyof typeof validity

/** A mailed link works at least this long before another one replaces it. */
const MAIL_PAUSE = "5 minutes"

/** Creates the token of a user's link. An earlier link of the same kind stops working. */
export const createUserLink = async (sql: Queryable, userId: string, kind: LinkKind): Promise<string> =>
  (await createLink(sql, userId, kind, null))!

/**
 * Creates the token of a link that is mailed on request. Null shortly after the last one, so that a stranger can
 * neither flood the mailbox nor invalidate each link before it is opened.
 */
export const createMailedLink = (sql: Queryable, userId: string, kind: LinkKind): Promise<string | null> =>
  createLink(sql, userId, kind, MAIL_PAUSE)

async function createLink(sql: Queryable, userId: string, kind: LinkKind, pause: string | null) {
  const token = newToken()
  const made = await sql`
    insert into user_links as l (user_id, kind, token_hash, created_at, expires_at)
    values (${userId}, ${kind}, ${hashToken(token)}, now(), now() + ${validity[kind]}::interval)
    on conflict (user_id, kind) do update
      set token_hash = excluded.token_hash, created_at = excluded.created_at, expires_at = excluded.expires_at
      where ${pause}::interval is null or l.created_at <= now() - ${pause}::interval
    returning user_id`
  return made.length === 1 ? token : null
}

/** Finds a link's user, without using the link. Errors: invalid_link. */
export async function findUserLink(sql: Queryable, kind: LinkKind, token: string): Promise<string> {
  const [row] = await sql<{ user_id: string }[]>`
    select user_id from user_links
    where kind = ${kind} and token_hash = ${hashToken(token)} and expires_at > now()`
  return row?.user_id ?? noSuchLink()
}

/** Uses up a link. Of two simultaneous uses, one succeeds. Errors: invalid_link. */
export async function useUserLink(sql: Queryable, kind: LinkKind, token: string): Promise<string> {
  const [row] = await sql<{ user_id: string }[]>`
    delete from user_links
    where kind = ${kind} and token_hash = ${hashToken(token)} and expires_at > now() returning user_id`
  return row?.user_id ?? noSuchLink()
}

const noSuchLink = (): never =>
  fail("invalid_link", "This link was already used, has expired or was replaced by a newer one. Request a new one.")
