import { useQuery } from "#app/(dashboard)/workspace.tsx"
import { isAddress } from "#shared/address.ts"
import type { Owner } from "./finding-words.ts"

/** The people whose wallets these are. Empty until it is known. */
export function useOwners(texts: readonly string[]): readonly Owner[] {
  const wallets = [...new Set(texts.filter(isAddress))]
  const { data } = useQuery("investor.owners", { wallets }, { keep: true, enabled: wallets.length > 0 })
  return data?.data ?? []
}

/** The person behind a wallet, if the company has its own id for them. */
export const personOf = (wallet: string, people: readonly Owner[]): Owner | undefined =>
  people.find(({ user_pubkey, external_id }) => user_pubkey === wallet && external_id !== null)
