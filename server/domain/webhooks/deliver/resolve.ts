import dns, { type LookupAddress } from "node:dns"

// Node's own lookup blocks one of four threads, which files and all other names of this process also need. A customer
// whose name server never answers would block them all. So names are resolved over sockets (c-ares).

/** How long a name server may take to answer, and how often it is asked. */
const TIMEOUT_MS = 3000
const TRIES = 2
/** Names that the system resolves at a time, in its threads. */
const IN_THREADS = 2

export type Resolving = {
  family: number
  /** Whether the system may know names that the DNS does not: from /etc/hosts or within a search domain. */
  withSystem: boolean
  /** Name servers to use in place of the system's, in tests. */
  servers?: readonly string[]
}

/** All addresses of a name. Rejects with the code ENOTFOUND if it has none, or EAI_AGAIN if no server answers. */
export async function resolveName(
  hostname: string,
  { family, withSystem, servers }: Resolving,
): Promise<LookupAddress[]> {
  // Created for each lookup, because /etc/resolv.conf may change.
  const resolver = new dns.promises.Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
  if (servers) resolver.setServers(servers)
  const answers = await Promise.allSettled([
    family === 6 ? [] : resolver.resolve4(hostname).then((found) => found.map((address) => ({ address, family: 4 }))),
    family === 4 ? [] : resolver.resolve6(hostname).then((found) => found.map((address) => ({ address, family: 6 }))),
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

/** Leaves threads for the rest of this process. */
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
