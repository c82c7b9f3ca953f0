import { randomBytes } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { Connection, LAMPORTS_PER_SOL } from "@solana/web3.js"
import { feePayerPurpose, localKeys } from "#server/solana/keys.ts"
import {
  everyOther,
  type Fault,
  forgets,
  frozen,
  noHistory,
  onFork,
  type RpcProxy,
  replying,
  rpcError,
  rpcProxy,
} from "../doubles/rpc-proxy.ts"
import { until } from "./deployment.ts"
import type { Random } from "./random.ts"

const READS = ["getAccountInfo", "getMultipleAccounts", "getLatestBlockhash", "getEpochInfo"]
const SERVER_ERRORS = [500, 502, 503, 504]
/** The last is longer than a node's timeout. */
const SLOW_MS = [150, 700, 6000]

type MakeFault = (url: string, random: Random) => Fault | Promise<Fault>

const slow: MakeFault = (_url, random) => {
  const ms = random.pick(SLOW_MS)
  return async (_call, ask) => {
    await sleep(ms)
    return ask()
  }
}

/** Faults of real nodes. */
const FAULTS: { readonly [name: string]: MakeFault } = {
  behind: (url) => frozen(url),
  "behind, without reporting it": (url) => frozen(url, { honest: false }),
  "behind, and reporting it": () => replying(rpcError(-32016, "Minimum context slot has not been reached"), READS),
  "without old history": async (url) => forgets(await new Connection(url, "confirmed").getSlot()),
  "no history": () => noHistory,
  "no such version": () => replying(rpcError(-32015), ["getTransaction"]),
  "429": () => replying({ status: 429, headers: { "retry-after": "1" } }),
  "5xx": (_url, random) => replying({ status: random.pick(SERVER_ERRORS) }),
  silent: () => replying("drop"),
  "on a fork": () => onFork(),
  slow,
}

/** Longer than a blockhash is valid on the local network. */
const LONGEST_MS = 10_000

/** The two nodes through which a deployment's test mode reaches its local network, and their faults. */
export class Nodes {
  readonly #signer = randomBytes(32)
  readonly #proxies: readonly RpcProxy[]
  /** The URL of the local network. */
  #url = ""

  private constructor(proxies: readonly RpcProxy[]) {
    this.#proxies = proxies
  }

  static async open(): Promise<Nodes> {
    // Refuses connections until the local network's address is known.
    return new Nodes([await rpcProxy("http://127.0.0.1:9"), await rpcProxy("http://127.0.0.1:9")])
  }

  /** Settings for a deployment behind these nodes. Its live mode keeps the embedded network running. */
  get settings(): Record<string, string> {
    return {
      VOUCH_TEST_SOLANA_RPC_URL: this.#proxies.map(({ url }) => url).join(" "),
      VOUCH_SIGNER: this.#signer.toString("base64"),
      VOUCH_DATA_KEY: randomBytes(32).toString("base64"),
      VOUCH_RPC_CALLS_PER_SECOND: "0",
    }
  }

  leadTo(url: string): void {
    this.#url = url
    for (const proxy of this.#proxies) proxy.leadTo(url)
  }

  /**
   * Funds the fee payer, which only an embedded network does itself. Waits for finality, so that no rollback undoes it.
   */
  async fund(): Promise<void> {
    const connection = new Connection(this.#url, "confirmed")
    const { publicKey } = localKeys(this.#signer)(feePayerPurpose("test"))
    const signature = await connection.requestAirdrop(publicKey, 1000 * LAMPORTS_PER_SOL)
    // The balance would not show this: the local network returns the newest one at any commitment.
    await until("the fee payer to be funded", async () => {
      const { value } = await connection.getSignatureStatus(signature)
      return value?.confirmationStatus === "finalized"
    })
  }

  /** Makes one or both nodes faulty for a while, for all calls or every other one. Returns a description. */
  async inject(random: Random): Promise<string> {
    const name = random.pick(Object.keys(FAULTS))
    const [isHalf, ms] = [random.chance(0.3), random.below(LONGEST_MS)]
    const some = random.chance(0.4) ? this.#proxies : [random.pick(this.#proxies)]
    for (const proxy of some) {
      const fault = await until("the local network to answer", () =>
        Promise.resolve(FAULTS[name]!(this.#url, random)).catch(() => null),
      )
      const placed = isHalf ? everyOther(fault) : fault
      proxy.fault = placed
      setTimeout(() => {
        if (proxy.fault === placed) proxy.fault = null
      }, ms).unref()
    }
    return `${some.length === 1 ? "one node" : "both nodes"}${isHalf ? ", half the time" : ""}: ${name}`
  }

  /** Ends all faults. */
  heal(): void {
    for (const proxy of this.#proxies) proxy.fault = null
  }

  async close(): Promise<void> {
    await Promise.all(this.#proxies.map((proxy) => proxy.close()))
  }
}
