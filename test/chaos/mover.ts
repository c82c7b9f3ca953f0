import { connectDatabase } from "#db/client.ts"
import { archiveEnded } from "#server/ledger/archive.ts"

// A process that moves what has ended to the archive, over and over: see archive.test.ts.

connectDatabase(process.argv[2]!, { max: 2 })
for (;;) await archiveEnded(new Date(), () => false)
