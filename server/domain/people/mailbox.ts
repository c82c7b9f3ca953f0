import type { Queryable } from "#db/client.ts"
import { mailer } from "./mail.ts"

/** Domains whose mailboxes ignore periods. */
const DOTLESS = ["gmail.com", "googlemail.com"]

/**
 * Whether two users have addresses of one mailbox: what follows a `+` does not count, nor does a period at Google.
 * `one` and `other` are aliases of `users`.
 */
export const sameMailbox = (sql: Queryable, one: string, other: string) =>
  sql`${mailbox(sql, one)} = ${mailbox(sql, other)}`

function mailbox(sql: Queryable, user: string) {
  const email = sql`lower(${sql(user)}.email)`
  const name = sql`split_part(split_part(${email}, '@', 1), '+', 1)`
  const domain = sql`split_part(${email}, '@', 2)`
  return sql`
    case when ${domain} = any(${DOTLESS}) then replace(${name}, '.', '') || '@gmail.com' else ${name} || '@' || ${domain} end`
}

/** Whether user `u` has shown that they read their mail. Always so if this server cannot send any. */
export const provenMailbox = (sql: Queryable) => sql`(${mailer().send === null} or u.email_verified)`
