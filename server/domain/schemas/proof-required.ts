import { deployment } from "#server/domain/deployment.ts"
import type { Provider } from "#server/domain/providers/provider.ts"
import type { Mode } from "#shared/mode.ts"

/**
 * Whether sessions ask for proof of the wallet where their schema does not say: those of real people do. A test, and a
 * provider that verifies nobody, do without.
 */
export const requiredByDefault = (mode: Mode, provider: Provider | null): boolean =>
  mode === "live" && (provider === null || provider.testOnly === null)

/** The same for the sessions that a schema would begin now, also where nobody verifies yet. */
export function requiredFor(mode: Mode, schemaId: string, setting: boolean | null): boolean {
  const { bySchema, default: common } = deployment.providers[mode]
  return setting ?? requiredByDefault(mode, bySchema.get(schemaId) ?? common)
}
