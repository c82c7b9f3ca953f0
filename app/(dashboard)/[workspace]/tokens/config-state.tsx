import { StatusBadge } from "#app/components/status-badge.tsx"
import { Badge } from "#app/components/ui/badge.tsx"
import type { Token } from "./answers.ts"

/** Paused, active, or not on chain yet. */
export function ConfigState({ config: { paused, mint } }: { config: Pick<Token, "paused" | "mint"> }) {
  if (paused) return <StatusBadge status="paused" />
  return mint === null ? <Badge>No mint yet</Badge> : <StatusBadge status="active" />
}
