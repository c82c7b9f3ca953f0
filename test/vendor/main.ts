import { providers } from "#server/domain/providers/table.ts"
import { serve } from "#server/start/serve.ts"
import { exampleId } from "./example-id.ts"

// server/main.ts with one more provider, for the double.
await serve({ providers: [...providers, exampleId] })
