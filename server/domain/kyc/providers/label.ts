import { deployment } from "#server/domain/deployment.ts"
import type { Mode } from "#shared/mode.ts"
import { providers } from "./table.ts"

/**
 * What people know a provider by. One whose settings are gone keeps its label; what is in no table, as that of an older
 * version, has its name alone.
 */
export const providerLabel = (mode: Mode, name: string): string =>
  deployment.providers[mode].configured.get(name)?.label ??
  providers.find((one) => one.name === name)?.label ??
  name
