import { connectDatabase } from "#db/client.ts"
import { archiveEnded } from "#server/ledger/archive.ts"

// A process for archive.test.ts that archives ended operations in a loop.

connectDatabase(process.argv[2]!, { max: 2 })
for (;;) await archiveEnded(new Date(), () => false)
