import "#server/start/quiet-imports.ts"
import { parseSettings } from "#server/settings/env.ts"
import { localKeys } from "#server/solana/keys.ts"
import { sweep } from "#server/start/housekeeping.ts"
import { clean } from "#server/start/retention.ts"
import { start } from "#server/start/start.ts"
import { slowKeys } from "./keys.ts"

// A server of `startShiftedServer`: what main.ts starts, but for the pages and the embedded services. Where its
// signatures take time, it says so when one is asked for.
const signMs = Number(process.env.TEST_SIGN_MS ?? 0)

const running = await start({
  settings: parseSettings(process.env),
  databaseUrl: process.env.DATABASE_URL!,
  localnetUrl: process.env.LOCALNET_URL!,
  pages: async (_request, response) => void response.writeHead(404).end(),
  keysOf: (secret) =>
    signMs > 0 ? slowKeys(localKeys(secret), signMs, () => process.send!("signing")) : localKeys(secret),
})

process.on("message", async (message: { sweep?: true }) => {
  if (!message.sweep) return
  await sweep()
  await clean()
  process.send!("swept")
})
process.once("SIGTERM", async () => {
  await running.stop()
  process.exit(0)
})
process.once("disconnect", () => process.exit(0))
process.send!("ready")
