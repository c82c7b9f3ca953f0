import { parseArgs } from "node:util"
import { type Act, type Faults, type Kind, play, type Scene, type Summary } from "./act.ts"
import { newSeed } from "./random.ts"

// `npm run chaos`: the long form. Every act has a deployment of its own, and ends with the same proof.
//   npm run chaos -- [--attestations 300] [--kills 30] [--seed n] [server] [localnet] [postgres] [lost] [faults] [all]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    attestations: { type: "string", default: "300" },
    kills: { type: "string", default: "30" },
    seed: { type: "string", default: String(newSeed()) },
  },
})
const attestations = Number(values.attestations)
const kills = Number(values.kills)
const seed = Number(values.seed)

const oneKind = (kind: Kind): Scene[] => [{ attestations, hits: Array<Kind>(kills).fill(kind) }]

const p = 0.3
const everyFault = { drop: p, delay: { p, ms: 200 }, too_many_requests: p, land_without_answer: p }
const faults: Faults[] = [
  { drop: p },
  { delay: { p, ms: 1500 } },
  { too_many_requests: p },
  { land_without_answer: p },
  everyFault,
]

const acts: Record<string, () => Scene[]> = {
  server: () => oneKind("server"),
  localnet: () => oneKind("localnet"),
  postgres: () => oneKind("postgres"),
  lost: () => oneKind("lost"),
  faults: () => faults.map((faults) => ({ attestations: Math.ceil(attestations / 5), hits: [], faults })),
  // All of it together: each in turn, under every fault.
  all: () => {
    const turns: Kind[] = ["server", "localnet", "lost", "postgres"]
    const each = Array.from({ length: kills }, (_, n) => turns[n % turns.length]!)
    return [{ attestations, hits: each, faults: everyFault }]
  },
}

const names = positionals.length > 0 ? positionals : Object.keys(acts)
const unknown = names.find((name) => !(name in acts))
if (unknown !== undefined) {
  console.error(`There is no act ${unknown}. There are: ${Object.keys(acts).join(", ")}.`)
  process.exit(2)
}

const began = Date.now()
const say = (text: string) =>
  console.log(`${String(Math.round((Date.now() - began) / 1000)).padStart(5)} s  ${text}`)
// What was started is cleared up by each deployment's guard, also after Ctrl-C.
say(`seed ${seed}`)
const failures: string[] = []
for (const [n, name] of names.entries()) {
  const act: Act = { name, scenes: acts[name]!(), seed: seed + n, say }
  try {
    report(await play(act))
  } catch (error) {
    failures.push(name)
    say(`${name} FAILED: ${error instanceof Error ? error.message : error}`)
  }
}
say(failures.length === 0 ? "everything held" : `failed: ${failures.join(", ")} (seed ${seed})`)
process.exit(failures.length === 0 ? 0 : 1)

function report(summary: Summary): void {
  const {
    name,
    attestations,
    hits,
    requests,
    retries,
    underWay,
    failedStarts,
    transactions,
    errors,
    seconds,
  } = summary
  const list = (counts: { [name: string]: number }) =>
    Object.entries(counts)
      .map(([what, count]) => `${count} × ${what}`)
      .join(", ") || "none"
  say(`${name} held: ${attestations} attestations in ${seconds} s`)
  say(
    `  hits          ${list(hits)}${failedStarts > 0 ? `; ${failedStarts} starts ended by themselves` : ""}`,
  )
  if (underWay > 0) say(`  under way     ${underWay} operations when a server was killed`)
  say(`  requests      ${requests}, sent again: ${list(retries)}`)
  say(`  transactions  ${list(transactions)}`)
  say(`  errors logged ${list(errors)}`)
  say("  audit         no difference, while running and after the end")
}
