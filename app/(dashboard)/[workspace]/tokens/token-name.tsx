import { useQuery } from "#app/(dashboard)/workspace.tsx"
import type { Token } from "./use-token.ts"

/** The workspace's tokens by their ids. Undefined until they are loaded. */
export function useTokens(): ReadonlyMap<string, Token> | undefined {
  const { data } = useQuery("mintConfig.list", {})
  return data && new Map(data.data.map((token) => [token.id, token]))
}

/** A token by its name, with the id on hover. */
export const TokenName = ({ id }: { id: string }) => <span title={id}>{useTokens()?.get(id)?.name ?? id}</span>

export const TokenSymbol = ({ id }: { id: string }) => useTokens()?.get(id)?.symbol ?? ""
