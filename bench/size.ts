import { type Contest, contest } from "./rounds.ts"
import type { Stage } from "./stage.ts"

/** Few rows: all of them and their indexes fit in any cache. */
export const FEW = 10_000

/** Alternates GET /kyc/status between a database with few attestations and one with many. */
export async function measureSize(options: {
  few: Stage
  many: Stage
  rounds: number
  measure_ms: number
  say: (line: string) => void
}): Promise<Contest> {
  const { few, many, rounds, measure_ms, say } = options
  const servers = await Promise.all(
    [few, many].map(async (stage) => {
      const server = await stage.vouch()
      return { ...server, name: `of ${stage.attestations.toLocaleString("en")}` }
    }),
  )
  const done = await contest({ name: "GET /kyc/status", traffic: "status", servers, rounds, measure_ms, say })
  await Promise.all(servers.map((server) => server.stop()))
  return done
}
