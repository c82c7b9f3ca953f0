import { connectDatabase } from "#db/client.ts"
import { archiveEnded } from "#server/ledger/archive.ts"

// A process that archives ended operations, over and over: see archive.test.ts.

connectDatabase(process.argv[2]!, { max: 2 })
for (;;) await archiveEnded(new Date(), () => false)
