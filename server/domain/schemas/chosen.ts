import { sql } from "#db/client.ts"
import type { ModeProviders } from "#domain/providers"
import { SettingsError } from "#server/settings/env.ts"
import { type Mode, modes } from "#shared/mode.ts"
import { builtInSchemas } from "./built-in.ts"

/** The most schemas that the message lists. */
const MOST_NAMED = 30

/** Refuses settings that choose a provider for a schema that no workspace of the mode has. Throws SettingsError. */
export async function requireChosenSchemas(providers: Record<Mode, ModeProviders>): Promise<void> {
  const problems = await Promise.all(
    modes.map(async (mode) => {
      const chosen = [...providers[mode].bySchema.keys()]
      if (chosen.length === 0) return []
      const rows = await sql<{ id: string }[]>`
        select distinct s.id from schemas s join workspaces w on w.id = s.workspace_id
        where w.mode = ${mode} order by s.id`
      const known = [...new Set([...builtInSchemas, ...rows].map(({ id }) => id))]
      return chosen
        .filter((id) => !known.includes(id))
        .map(
          (id) =>
            `VOUCH_${mode.toUpperCase()}_PROVIDER: there is no schema ${id} in ${mode} mode. Choose from: ${known.slice(0, MOST_NAMED).join(", ")}.`,
        )
    }),
  )
  if (problems.flat().length > 0) throw new SettingsError(problems.flat())
}
