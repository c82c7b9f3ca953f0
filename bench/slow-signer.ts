import "#server/start/quiet-imports.ts"
import { localKeys } from "#server/solana/keys.ts"
import { serve } from "#server/start/serve.ts"
import { slowKeys } from "#test/doubles/keys.ts"

// The server as server/main.ts starts it, but for its keys: they answer as late as a key management service does.
const SIGN_MS = 200

await serve({ keysOf: (secret) => slowKeys(localKeys(secret), SIGN_MS) })
