import { didit } from "./didit.ts"
import { generic } from "./generic.ts"
import { onfido } from "./onfido.ts"
import { persona } from "./persona.ts"
import type { ProviderDefinition } from "./provider.ts"
import { sandbox } from "./sandbox.ts"
import { stripe } from "./stripe.ts"
import { sumsub } from "./sumsub.ts"
import { veriff } from "./veriff.ts"

export const providers: readonly ProviderDefinition[] = [
  sandbox,
  sumsub,
  persona,
  veriff,
  onfido,
  stripe,
  didit,
  generic,
]
