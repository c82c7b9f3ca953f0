import { providers } from "#server/domain/providers/table.ts"
import { serve } from "#server/start/serve.ts"
import { exampleId } from "./example-id.ts"

// server/main.ts, with a provider more: the double's.
await serve({ providers: [...providers, exampleId] })
