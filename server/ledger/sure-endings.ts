import type { Chain } from "#server/solana/chain.ts"
import { isOfTheNodes } from "#server/solana/rpc/errors.ts"
import { hasFailed } from "./failure.ts"
import type { Ending } from "./settling.ts"
import type { SettlingCommitment } from "./settling-commitment.ts"
import { areFinal, askStatuses, surelyFinal } from "./several-nodes.ts"

type Options = { commitment: SettlingCommitment; wireOf: (signature: string) => Buffer | null }

/**
 * Outcomes certain enough to settle; the others are checked again. A failed transaction's operations are signed again,
 * and under commitment `finalized` clients are notified of something that cannot be undone, so both take more than one
 * node's answer. A confirmed transaction is followed until it is final (`finality.ts`).
 */
export async function sureEndings(
  chain: Chain,
  endings: readonly Ending[],
  { commitment, wireOf }: Options,
): Promise<Ending[]> {
  const landed = commitment === "finalized" ? await landedForGood(chain, endings, wireOf) : null
  const sure: Ending[] = []
  for (const ending of endings) {
    if (ending.end === "failed" && !(await hasFailed(chain, ending.signature))) continue
    if (ending.end !== "confirmed" || landed === null) sure.push(ending)
    else if (ending.isFinal || landed.has(ending.signature)) sure.push({ ...ending, isFinal: true })
  }
  return sure
}

async function landedForGood(
  chain: Chain,
  endings: readonly Ending[],
  wireOf: Options["wireOf"],
): Promise<ReadonlySet<string>> {
  const landed = endings.flatMap((ending) => {
    const wire = wireOf(ending.signature)
    return ending.end === "confirmed" && !ending.isFinal && wire ? { ...ending, wire } : []
  })
  if (landed.length === 0) return new Set()
  try {
    const told = await askStatuses(
      chain.rpc,
      landed.map(({ signature }) => signature),
    )
    return await surelyFinal(chain, landed.map((one, i) => ({ ...one, ...told[i]! })).filter(areFinal))
  } catch (error) {
    if (!isOfTheNodes(error)) throw error
    return new Set()
  }
}
