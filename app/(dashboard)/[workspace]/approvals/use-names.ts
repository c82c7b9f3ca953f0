import { useTokens } from "#app/(dashboard)/[workspace]/tokens/token-name.tsx"
import { useOwners } from "#app/(dashboard)/[workspace]/tokens/use-owners.ts"
import { nameOf } from "#app/(dashboard)/person-words.ts"
import { useQuery } from "#app/(dashboard)/workspace.tsx"
import { shorten } from "#app/components/code.tsx"
import type { Approval, Names } from "./summary.ts"

/** The server names no more objects at once. A page of the list has as many requests. */
const MOST = 20

/** What the tokens and wallets of requests are called. Read together, because a list has many. */
export function useNames(approvals: readonly Pick<Approval, "request">[]): Names {
  const tokens = useTokens()
  const people = useOwners(
    approvals.flatMap(({ request: { user_pubkey, from_pubkey, to_pubkey } }) =>
      [user_pubkey, from_pubkey, to_pubkey].map(String),
    ),
  )
  const named = approvals.flatMap(({ request: { name, attestation_id, investor_id, key_id } }) =>
    [attestation_id, investor_id, ...(name === undefined ? [key_id] : [])].filter((id) => typeof id === "string"),
  )
  const ids = [...new Set(named)].slice(0, MOST)
  const found = useQuery("find.named", { ids }, { enabled: ids.length > 0, keep: true }).data?.data ?? []
  return {
    person: (wallet) => nameOf(people.find(({ user_pubkey }) => user_pubkey === wallet) ?? unknown(wallet)),
    token: (id) => tokens?.get(id)?.name ?? id,
    symbol: (id) => tokens?.get(id)?.symbol ?? id,
    object: (id) => found.find(({ path, more }) => path.at(-1) === id || more === id)?.name ?? shorten(id),
  }
}

const unknown = (user_pubkey: string) => ({ external_id: null, user_pubkey })
