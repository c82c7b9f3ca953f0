import "#server/start/quiet-imports.ts"
import { localKeys } from "#server/solana/keys.ts"
import { serve } from "#server/start/serve.ts"
import { slowKeys } from "#test/doubles/keys.ts"

// The server of server/main.ts, with keys that answer as slowly as a key management service.
const SIGN_MS = 200

await serve({ keysOf: (secret) => slowKeys(localKeys(secret), SIGN_MS) })
