import dns, { type LookupAddress } from "node:dns"

// Node's own lookup waits in one of four threads, which files and every other name of this process need, too: a customer whose
// name server never answers would hold them all. So names are asked for over sockets (c-ares).

/** How long a name server may take to answer, and how often it is asked. */
const TIMEOUT_MS = 3000
const TRIES = 2
/** Names that the system is asked for at a time, in its threads. */
const IN_THREADS = 2

export type Resolving = {
  family: number
  /** Whether the system may know names that the DNS does not: those of /etc/hosts, or within a search domain. */
  withSystem: boolean
  /** Name servers in place of the system's, for tests. */
  servers?: readonly string[]
}

/** Resolves a name, all of its addresses. Rejects with code ENOTFOUND where it has none, and EAI_AGAIN where nobody says. */
export async function resolveName(
  hostname: string,
  { family, withSystem, servers }: Resolving,
): Promise<LookupAddress[]> {
  // Anew for each: what /etc/resolv.conf says may change.
  const resolver = new dns.promises.Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
  if (servers) resolver.setServers(servers)
  const answers = await Promise.allSettled([
    family === 6
      ? []
      : resolver.resolve4(hostname).then((found) => found.map((address) => ({ address, family: 4 }))),
    family === 4
      ? []
      : resolver.resolve6(hostname).then((found) => found.map((address) => ({ address, family: 6 }))),
  ])
  const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
  if (found.length > 0) return found
  if (withSystem) return inThread(() => dns.promises.lookup(hostname, { family, all: true }))
  const codes = answers.flatMap((answer) => (answer.status === "rejected" ? String(answer.reason.code) : []))
  const isUnknown = codes.every((code) => code === "ENOTFOUND" || code === "ENODATA")
  throw Object.assign(new Error("The name cannot be resolved"), {
    code: isUnknown ? "ENOTFOUND" : "EAI_AGAIN",
  })
}

let inThreads = 0
const waiting: (() => void)[] = []

/** Others of this process keep threads of their own. */
async function inThread<T>(work: () => Promise<T>): Promise<T> {
  if (inThreads >= IN_THREADS) await new Promise<void>((resolve) => waiting.push(resolve))
  else inThreads++
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else inThreads--
  }
}
