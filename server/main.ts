import "./start/quiet-imports.ts"
import { serve } from "./start/serve.ts"

await serve()
