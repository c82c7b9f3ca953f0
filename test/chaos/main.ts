import { parseArgs } from "node:util"
import { deliveries } from "./deliveries.ts"
import { dropOrDelay, type Faults, type Kind } from "./fault-injector.ts"
import { newSeed, randomFrom } from "./random.ts"
import { type Phase, runScenario, type ScenarioRun, type Summary } from "./run-scenario.ts"
import { attesting, minting, servicing, trading } from "./scenarios.ts"
import { storm } from "./storm.ts"
import { upgrade } from "./upgrade.ts"

// Each deployment's guard cleans up, even after Ctrl-C.
const HELP = `npm run chaos -- [options] [scenario ...]

The long form of the fault tests. Whatever is killed, Vouch loses nothing that it acknowledged and does nothing twice.
Each scenario runs its own deployment and ends with a proof. Without names, all scenarios run.

  server, localnet, postgres   kill this process repeatedly while wallets are verified
  lost                         the network loses transactions that it accepted
  faults                       the network drops, delays, refuses or does not answer calls
  all                          all of these at once
  nodes                        nodes lag, lose history, refuse calls, are busy, slow or on a fork; slots are rolled back;
                               one of two servers pauses; the faults above happen as well
  restores                     the database goes back some seconds, with servers running or stopped, together with all
                               faults above, while tokens are minted and moved, wallets are verified and revoked, and
                               transfer modes change
  servicing                    all faults above while tokens are minted, moved, burned, force-transferred, held and frozen,
                               and the transfer mode of one changes
  mints                        all three processes are killed and calls dropped or delayed while tokens are minted and moved
  upgrade                      a worker of the last release signs together with a server that fills the archive
  webhooks                     the server, a second worker, Postgres and the consumers are killed or stopped while events
                               are sent
  storm                        strangers flood the server while two customers work; the server is killed at the end

  --attestations <n>           wallets in each of the other scenarios (300)
  --mints <n>                  number of mints: 1 base unit, then 3, 5, 7 … (2000)
  --orders <n>                 mints, transfers, verifications and revocations while databases are restored (400)
  --services <n>               acts of a transfer agent (5000)
  --events <n>                 events to send to three endpoints (2000)
  --kills <n>                  faults to inject in each scenario; nodes and mints get twice as many (30)
  --seconds <n>                length of the storm (60)
  --minutes <n>                repeat with the next seed until this time is over or a proof fails
  --seed <n>                   repeat the random choices of an earlier run
  --help`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    attestations: { type: "string", default: "300" },
    mints: { type: "string", default: "2000" },
    orders: { type: "string", default: "400" },
    services: { type: "string", default: "5000" },
    events: { type: "string", default: "2000" },
    kills: { type: "string", default: "30" },
    seconds: { type: "string", default: "60" },
    minutes: { type: "string" },
    seed: { type: "string", default: String(newSeed()) },
    help: { type: "boolean", default: false },
  },
})
if (values.help) {
  console.log(HELP)
  process.exit(0)
}
const attestations = atLeastOne("attestations")
const mints = atLeastOne("mints")
const orders = atLeastOne("orders")
const services = atLeastOne("services")
const events = atLeastOne("events")
const kills = atLeastOne("kills")
const seconds = atLeastOne("seconds")
const minutes = values.minutes === undefined ? 0 : atLeastOne("minutes")
let seed = Number(values.seed)

function atLeastOne(
  name: "attestations" | "mints" | "orders" | "services" | "events" | "kills" | "seconds" | "minutes",
): number {
  if (/^[1-9][0-9]{0,5}$/.test(values[name] ?? "")) return Number(values[name])
  console.error(`--${name}: must be a whole number from 1.`)
  process.exit(2)
}

const inTurn = (kinds: Kind[], times: number): Kind[] =>
  Array.from({ length: times }, (_, n) => kinds[n % kinds.length]!)

const oneKind = (kind: Kind) => verify([{ work: attestations, hits: inTurn([kind], kills) }])

const p = 0.3
const everyFault = { drop: p, delay: { p, ms: 200 }, too_many_requests: p, land_without_answer: p }
const faults: Faults[] = [
  { drop: p },
  { delay: { p, ms: 1500 } },
  { too_many_requests: p },
  { land_without_answer: p },
  everyFault,
]

type Choice = Pick<ScenarioRun, "scenario" | "phases">
const verify = (phases: Phase[]): Choice => ({ scenario: attesting, phases })

const scenarios: Record<string, () => Choice> = {
  server: () => oneKind("server"),
  localnet: () => oneKind("localnet"),
  postgres: () => oneKind("postgres"),
  lost: () => oneKind("lost"),
  faults: () => verify(faults.map((faults) => ({ work: Math.ceil(attestations / 5), hits: [], faults }))),
  // The mixed workload, with every fault.
  all: () => {
    const hits = inTurn(["server", "localnet", "lost", "postgres"], kills)
    return verify([{ work: attestations, hits, faults: everyFault }])
  },
  nodes: () => {
    const others: Kind[] = ["rollback", "server", "stopped", "localnet", "lost", "postgres"]
    const hits = inTurn(
      others.flatMap((kind): Kind[] => ["nodes", kind]),
      2 * kills,
    )
    return verify([{ work: attestations, hits: randomFrom(seed).shuffle(hits) }])
  },
  restores: () => {
    const others: Kind[] = ["nodes", "rollback", "server", "stopped", "localnet", "lost", "postgres"]
    const hits = inTurn(
      others.flatMap((kind): Kind[] => ["restore", kind]),
      kills,
    )
    return { scenario: trading, phases: [{ work: orders, hits: randomFrom(seed).shuffle(hits) }] }
  },
  servicing: () => {
    const others: Kind[] = ["server", "nodes", "restore", "stopped", "server", "rollback", "server", "lost", "postgres"]
    return { scenario: servicing, phases: [{ work: services, hits: randomFrom(seed).shuffle(inTurn(others, kills)) }] }
  },
  mints: () => {
    const hits = randomFrom(seed).shuffle(inTurn(["server", "localnet", "postgres"], 2 * kills))
    return { scenario: minting, phases: [{ work: mints, hits, faults: dropOrDelay }] }
  },
}

const STORM = "storm"
const UPGRADE = "upgrade"
const WEBHOOKS = "webhooks"
const known = [...Object.keys(scenarios), UPGRADE, WEBHOOKS, STORM]
const names = positionals.length > 0 ? positionals : known
const unknown = names.find((name) => !known.includes(name))
if (unknown !== undefined) {
  console.error(`Unknown scenario ${unknown}. Use: ${known.join(", ")}.`)
  process.exit(2)
}

const began = Date.now()
const say = (text: string) => console.log(`${String(Math.round((Date.now() - began) / 1000)).padStart(5)} s  ${text}`)
const failures: string[] = []
do {
  say(`seed ${seed}`)
  for (const name of names) {
    try {
      if (name === STORM) {
        const calmer = await storm({ seconds, seed, say: (text) => say(`${name}: ${text}`) })
        say(`${name} held: ${JSON.stringify(calmer)}`)
      } else if (name === UPGRADE) {
        const held = await upgrade({ mints, seed, say: (text) => say(`${name}: ${text}`) })
        say(`${name} held: ${JSON.stringify(held)}`)
      } else if (name === WEBHOOKS) {
        const held = await deliveries({ events, kills, seed, say: (text) => say(`${name}: ${text}`) })
        say(`${name} held: ${JSON.stringify(held)}`)
      } else report(await runScenario({ name, ...scenarios[name]!(), seed, say }))
    } catch (error) {
      failures.push(name)
      say(`${name} FAILED: ${error instanceof Error ? error.message : error}`)
    }
  }
  if (failures.length === 0) seed++
} while (failures.length === 0 && Date.now() - began < minutes * 60_000)
say(failures.length === 0 ? "everything held" : `failed: ${failures.join(", ")} (seed ${seed})`)
process.exit(failures.length === 0 ? 0 : 1)

function report(summary: Summary): void {
  const { name, achievements, hits, requests, retries, underWay, failedStarts, transactions, errors, seconds } = summary
  const list = (counts: { [name: string]: number }) =>
    Object.entries(counts)
      .map(([what, count]) => `${count} × ${what}`)
      .join(", ") || "none"
  say(`${name} held: ${list(achievements)} in ${seconds} s`)
  say(`  hits          ${list(hits)}${failedStarts > 0 ? `; ${failedStarts} starts failed` : ""}`)
  if (underWay > 0) say(`  under way     ${underWay} operations when a server was killed`)
  say(`  requests      ${requests}, sent again: ${list(retries)}`)
  say(`  transactions  ${list(transactions)}`)
  say(`  errors logged ${list(errors)}`)
  say("  audit         no difference, while running and after the end")
}
