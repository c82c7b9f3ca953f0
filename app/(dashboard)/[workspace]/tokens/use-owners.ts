import { useQuery } from "#app/(dashboard)/workspace.tsx"
import { isAddress } from "#shared/address.ts"
import type { Owner } from "./finding-words.ts"

/** The people whose wallets these are. Empty until it is known. */
export function useOwners(texts: readonly string[]): readonly Owner[] {
  const wallets = [...new Set(texts.filter(isAddress))]
  const { data } = useQuery("investor.owners", { wallets }, { keep: true, enabled: wallets.length > 0 })
  return data?.data ?? []
}
