import type { ProviderDefinition } from "./provider.ts"
import { sandbox } from "./sandbox.ts"

/** Every provider that a deployment can choose. */
export const providers: readonly ProviderDefinition[] = [sandbox]
