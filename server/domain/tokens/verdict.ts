import { z } from "zod"
import { sql } from "#db/client.ts"
import type { Principal } from "#server/domain/context.ts"
import { chainOf } from "#server/domain/deployment.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import { fromBaseUnits, toBaseUnits } from "#shared/amount.ts"
import { type ErrorCode, statusOf } from "#shared/errors.ts"
import { caseOf } from "./case.ts"
import { loadConfigs } from "./config.ts"
import { tooFine, unknownConfig } from "./decision.ts"
import { loadClaims, loadLosses, readHoldings, sightOf } from "./parties.ts"
import { type Case, judge, type Objection, objectionTo, type RuleCode } from "./rules.ts"

/** What somebody thinks of doing: a mint, or a transfer where `from` is not null. */
export type Intent = { config: string; from: string | null; to: string; amount: string }

export const verdictRecord = z.object({
  /** What the API would answer now. */
  answer: z.object({ status: z.number(), error: z.string().nullable(), detail: z.string().nullable() }),
  /** Every rule that binds, in the order in which they are asked. */
  rules: z.array(
    z.object({
      code: z.string(),
      /** `undecided`: it asks for claims, and the wallet is not verified. */
      outcome: z.enum(["passed", "refused", "undecided"]),
      detail: z.string(),
    }),
  ),
  /** Wallets that are not verified, for whom a session can be started, and the schema that it takes. */
  unverified: z.array(z.string()),
  required_schema: z.string().nullable(),
})
export type Verdict = z.infer<typeof verdictRecord>

/**
 * What every rule says of a mint or a transfer, as things stand: nothing is locked, reserved or changed, so the answer
 * to the request itself may differ a moment later. Errors: chain_not_configured.
 */
export async function verdictOn(
  principal: Principal,
  { config: id, from, to, amount: text }: Intent,
): Promise<Verdict> {
  const { workspaceId } = principal
  chainOf(principal.mode)
  const sight = sightOf(principal)
  const now = clock.now()
  // One snapshot, so that what is counted and what it is compared with belong together.
  return sql.begin("isolation level repeatable read read only", async (sql) => {
    const config = (await loadConfigs(sql, workspaceId, [id], { lock: false })).get(id)
    const amount = config ? toBaseUnits(text, config.decimals) : null
    if (!config) return unreadable(unknownConfig(id))
    if (!amount) return unreadable(tooFine(config))
    const wallets = from === null ? [to] : [from, to]
    const schemaId = config.required_schema
    const standings = wallets.map((wallet) => ({ schemaId, wallet }))
    const claims = await loadClaims(sql, workspaceId, standings, now)
    const strangers = standings.filter((one) => claims(one) === null)
    const losses = sight.attestations ? await loadLosses(sql, workspaceId, strangers, now) : undefined
    const holdings = await readHoldings(
      sql,
      workspaceId,
      wallets.map((wallet) => ({ config: id, wallet })),
    )
    const namesClaims = sight.claims
    const one = caseOf({ config, from, to, amount, now, namesClaims }, claims, holdings, losses)
    return {
      answer: answerOf(objectionTo(one)),
      rules: judge(one).map(({ code, against }) => explain(one, code, against)),
      unverified: strangers.map(({ wallet }) => wallet),
      required_schema: schemaId,
    }
  })
}

const answerOf = (objection: Objection | null): Verdict["answer"] =>
  objection === null
    ? { status: 200, error: null, detail: null }
    : { status: statusOf(objection.code), error: objection.code, detail: objection.detail }

/** Of a request that is refused before any rule is asked. */
const unreadable = (objection: Objection): Verdict => ({
  answer: answerOf(objection),
  rules: [],
  unverified: [],
  required_schema: null,
})

const OF_CLAIMS: readonly ErrorCode[] = ["country_not_allowed", "not_accredited"]

function explain(one: Case, code: RuleCode, against: string | null): Verdict["rules"][number] {
  if (against === null) return { code, outcome: "passed", detail: passed[code](one) }
  const isUntold = [one.from, one.to].some((party) => party !== null && party.claims === null)
  return OF_CLAIMS.includes(code) && isUntold
    ? { code, outcome: "undecided", detail: "Checked once the wallet is verified." }
    : { code, outcome: "refused", detail: against }
}

const units = ({ config }: Case, amount: bigint): string => fromBaseUnits(amount, config.decimals)
const isMint = ({ from }: Case): boolean => from === null

/** What is so where a rule has nothing against it. */
const passed: Record<RuleCode, (one: Case) => string> = {
  mint_paused: () => "The token is not paused.",
  transfers_locked: ({ config }) =>
    `The lock-up ended at ${toTimestamp(config.rules.transfersLockedUntil!)}.`,
  wallet_not_verified: (one) =>
    `${isMint(one) ? "The wallet is" : "Both wallets are"} verified for ${one.config.requiredSchema}.`,
  country_not_allowed: (one) =>
    isMint(one) ? "The investor's country is allowed." : "The countries of both investors are allowed.",
  not_accredited: (one) => (isMint(one) ? "The investor is accredited." : "Both investors are accredited."),
  // Without a rule the mint itself holds 2^64 − 1 base units: a number that says nothing to anybody.
  supply_cap_exceeded: (one) => {
    const { maxSupply } = one.config.rules
    if (maxSupply === undefined) return "No maximum supply is set."
    return `${units(one, maxSupply - one.config.issued - one.amount)} of ${units(one, maxSupply)} left to mint afterwards.`
  },
  holder_limit_reached: ({ config, to }) =>
    to.counted
      ? "The wallet already holds this token."
      : `${config.holders} of ${config.rules.maxHolders} holders.`,
  balance_limit_exceeded: (one) =>
    `The wallet has ${units(one, one.to.balance + one.to.incoming + one.amount)} after it, and may hold ${units(one, one.config.rules.maxBalancePerWallet!)}.`,
  insufficient_balance: (one) => `The wallet can move ${units(one, one.from!.balance - one.from!.outgoing)}.`,
}
