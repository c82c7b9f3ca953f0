import { sql } from "#db/client.ts"
import type { Role } from "#shared/roles.ts"

export type Person = {
  email: string
  name: string
  /** Whether they opened a link mailed to the address. */
  confirmed: boolean
  second_factor: boolean
  memberships: { account: string; role: Role }[]
}

/** Everyone who can sign in, oldest first. */
export async function listUsers(): Promise<Person[]> {
  return sql<Person[]>`
    select u.email, u.name, u.email_verified as confirmed, u.two_factor_enabled as second_factor,
      coalesce(jsonb_agg(jsonb_build_object('account', a.name, 'role', m.role) order by a.name)
        filter (where a.id is not null), '[]') as memberships
    from users u left join members m on m.user_id = u.id left join accounts a on a.id = m.account_id
    group by u.id order by u.created_at desc, u.id`
}

/** Turns off a user's second factor, including backup codes. Passkeys stay, because they need no second factor. */
export async function removeSecondFactor(email: string): Promise<void> {
  await sql.begin(async (sql) => {
    await sql`delete from user_two_factors f using users u where u.id = f.user_id and u.email = ${email}`
    await sql`update users set two_factor_enabled = false where email = ${email}`
  })
}
