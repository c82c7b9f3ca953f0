import { deployment } from "#domain/deployment"
import type { Provider } from "#domain/providers"
import type { Mode } from "#shared/mode.ts"

/** Whether sessions require proof of the wallet if their schema does not say: those of real people at real vendors. */
export const requiredByDefault = (mode: Mode, provider: Provider | null): boolean =>
  mode === "live" && (provider === null || provider.testOnly === null)

/** Whether a session that begins now would require proof, even if no provider is configured yet. */
export function requiredFor(mode: Mode, schemaId: string, setting: boolean | null): boolean {
  const { bySchema, default: common } = deployment.providers[mode]
  return setting ?? requiredByDefault(mode, bySchema.get(schemaId) ?? common)
}
