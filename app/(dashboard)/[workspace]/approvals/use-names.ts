import { useTokens } from "#app/(dashboard)/[workspace]/tokens/token-name.tsx"
import { useOwners } from "#app/(dashboard)/[workspace]/tokens/use-owners.ts"
import { nameOf } from "#app/(dashboard)/person-words.ts"
import type { Approval, Names } from "./summary.ts"

/** What the tokens and wallets of requests are called. Read together, because a list has many. */
export function useNames(approvals: readonly Pick<Approval, "request">[]): Names {
  const tokens = useTokens()
  const people = useOwners(
    approvals.flatMap(({ request: { user_pubkey, from_pubkey, to_pubkey } }) =>
      [user_pubkey, from_pubkey, to_pubkey].map(String),
    ),
  )
  return {
    person: (wallet) => nameOf(people.find(({ user_pubkey }) => user_pubkey === wallet) ?? unknown(wallet)),
    token: (id) => tokens?.get(id)?.name ?? id,
    symbol: (id) => tokens?.get(id)?.symbol ?? id,
  }
}

const unknown = (user_pubkey: string) => ({ external_id: null, user_pubkey })
