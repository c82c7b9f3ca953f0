import { isIP } from "node:net"
import { basename } from "node:path"
import bs58 from "bs58"
import { z } from "zod"
import { AddressError, addressOf } from "#db/address.ts"
import { LEAST_CONNECTIONS } from "#db/client.ts"
import { ADDRESS, type Address } from "#shared/address.ts"

/** The most mints that a deployment pays with. Each is read whenever something is paid. */
const MOST_PAYMENT_MINTS = 16
const ADDRESS_BYTES = 32

const isAddress = (text: string): boolean => ADDRESS.test(text) && bs58.decode(text).length === ADDRESS_BYTES

const text = z.string().min(1).optional()
/** A number in decimal digits. JavaScript would also accept 0x10, 1e3 and a blank. */
const number = (least: number, most = Number.POSITIVE_INFINITY, { digits = /^\d+$/, what = "a whole number" } = {}) =>
  z
    .string()
    .transform((text) => (digits.test(text) ? Number(text) : Number.NaN))
    .refine((value) => value >= least && value <= most, {
      error: Number.isFinite(most) ? `must be ${what} from ${least} to ${most}` : `must be ${what}, at least ${least}`,
    })
/** A number that may have a fraction. */
const amount = (most = Number.POSITIVE_INFINITY) =>
  number(0, most, { digits: /^\d*\.?\d+$/, what: "a number such as 0.5" })
const oneOf = <const T extends string>(...values: [T, ...T[]]) =>
  z.enum(values, { error: `must be ${values.slice(0, -1).join(", ")} or ${values.at(-1)}` })
const port = number(0, 65_535, { what: "a port number" })
const url = (protocol: RegExp, example: string) =>
  z.url({ protocol, error: `must be an address such as ${example}`, abort: true })
const rpcUrl = url(/^https?$/, "https://api.devnet.solana.com").refine(
  (text) => {
    const { username, password } = new URL(text)
    return username === "" && password === ""
  },
  { error: "must have no user name and no password. Put a key in its path or query", abort: true },
)
/** One address or several, separated by spaces or commas. */
const rpcUrls = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter(Boolean))
  .pipe(
    z
      .array(rpcUrl)
      .min(1, "must be an address such as https://api.devnet.solana.com")
      .max(8, "must be at most 8 addresses"),
  )
  .optional()
const databaseUrl = z
  .string()
  .superRefine((text, { addIssue }) => {
    try {
      addressOf(text)
    } catch (error) {
      if (!(error instanceof AddressError)) throw error
      addIssue(error.message)
    }
  })
  .optional()
const flag = oneOf("0", "1")
  .default("0")
  .transform((value) => value === "1")

/** Mints that Vouch pays with, separated by spaces or commas. */
const mints = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter(Boolean))
  .refine((all) => all.every(isAddress), {
    error: "must be addresses of mints, such as EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGkZwyTDt1v",
  })
  .refine((all) => all.length <= MOST_PAYMENT_MINTS, { error: `must be at most ${MOST_PAYMENT_MINTS} mints` })
  .refine((all) => new Set(all).size === all.length, { error: "must name each mint once" })
  .transform((all) => all as Address[])
  .optional()

const price = number(0, 1_000_000_000)

/** Every setting of a deployment. `.env.example` explains them for operators. */
const settings = z.object({
  /** Port of the API, the dashboard and the hosted pages. */
  PORT: port.default(3000),
  /** Public origin, such as https://vouch.example.com. Without it Vouch serves this machine only. */
  VOUCH_PUBLIC_URL: url(/^https?$/, "https://vouch.example.com")
    .transform((url) => new URL(url).origin)
    .optional(),
  /** `web` answers requests, `worker` moves the ledger, `all` does both. */
  VOUCH_ROLE: oneOf("all", "web", "worker").default("all"),
  /** Folder of the embedded database, the local network and generated secrets. */
  VOUCH_DATA_DIR: z.string().min(1).default(".data"),
  /** PostgreSQL 15 or newer. Without it, an embedded PostgreSQL 18 runs in the data directory. */
  DATABASE_URL: databaseUrl,
  /** Direct address of the same database, if DATABASE_URL is a pooler: LISTEN needs a session. */
  DATABASE_DIRECT_URL: databaseUrl,
  /** Connections besides LISTEN: 3 for frequent reads, 4 for the ledger and scheduled work, the rest for requests. */
  VOUCH_DATABASE_POOL: number(LEAST_CONNECTIONS, 500).default(20),
  /** Solana JSON-RPC of both modes, or of one: addresses of one chain. Without any, an embedded local network runs. */
  SOLANA_RPC_URL: rpcUrls,
  VOUCH_LIVE_SOLANA_RPC_URL: rpcUrls,
  VOUCH_TEST_SOLANA_RPC_URL: rpcUrls,
  /** Additional addresses to send transactions to. */
  SOLANA_SEND_URL: rpcUrls,
  VOUCH_LIVE_SOLANA_SEND_URL: rpcUrls,
  VOUCH_TEST_SOLANA_SEND_URL: rpcUrls,
  /** Maximum calls per second that each mode of this process makes to each of these addresses. 0 means no limit. */
  VOUCH_RPC_CALLS_PER_SECOND: amount().default(50),
  /** Port of the embedded local network's JSON-RPC; its WebSocket is on the next port. */
  VOUCH_LOCALNET_PORT: port.default(8899),
  /** Length of a slot of the embedded local network in milliseconds. On public clusters it is 400. */
  VOUCH_LOCALNET_SLOT_MS: number(5, 10_000).default(50),
  /** 1 lets tests make the embedded local network misbehave. */
  VOUCH_LOCALNET_FAULTS: flag,
  /** When something counts as on chain: `confirmed`, or `finalized`, which takes about 13 s on a cluster. */
  VOUCH_COMMITMENT: oneOf("confirmed", "finalized").default("confirmed"),
  /**
   * Minimum and maximum price per compute unit that transactions offer, in micro-lamports. In between, the price is a
   * percentile of what others recently paid to write the same accounts, and doubles each time a transaction expires. It
   * is fixed if the maximum is not above the minimum, and on the embedded local network.
   */
  VOUCH_PRIORITY_FEE_MICROLAMPORTS: price.default(0),
  VOUCH_PRIORITY_FEE_MAX_MICROLAMPORTS: price.default(100_000),
  VOUCH_PRIORITY_FEE_PERCENTILE: number(0, 100).default(60),
  /** How often Vouch pays again for a wallet's closed token account in a month (UTC). Who closes one keeps its rent. */
  VOUCH_ACCOUNT_REOPENINGS: number(0, 1_000_000).default(3),
  /** Mints of stablecoins that distributions may pay with, in both modes or in one. Without any, none can. */
  VOUCH_PAYMENT_MINTS: mints,
  VOUCH_LIVE_PAYMENT_MINTS: mints,
  VOUCH_TEST_PAYMENT_MINTS: mints,
  /** Days after which ended operations and transactions move to the archive (docs/operations.md). 0 means never. */
  VOUCH_ARCHIVE_AFTER_DAYS: number(0, 36_500).default(90),
  /** /health is degraded if the fee payer has less than this, in SOL. */
  VOUCH_LOW_BALANCE_SOL: amount().default(0.1),
  /** /health is also degraded if the balance lasts fewer hours than this at the rate of the last hour. */
  VOUCH_LOW_BALANCE_HOURS: amount().default(24),
  /** Secret from which the keys of fee payers, workspace authorities and mints derive: base64 of 32 bytes or more. */
  VOUCH_SIGNER: text,
  /** Where each mode's fee payer key is: derived: (the default), file:, aws-kms:, gcp-kms: or vault:. */
  VOUCH_LIVE_FEE_PAYER: text,
  VOUCH_TEST_FEE_PAYER: text,
  /** The same for the issuing key of workspaces created from now on. Existing workspaces keep theirs. */
  VOUCH_LIVE_AUTHORITY: text,
  VOUCH_TEST_AUTHORITY: text,
  /** Encrypts claims (AES-256-GCM): base64 of 32 bytes. Of several, separated by spaces, all decrypt. */
  VOUCH_DATA_KEY: text,
  /** The provider of each mode, and of single schemas: `sandbox accredited_investor_v1=other`. */
  VOUCH_LIVE_PROVIDER: text,
  VOUCH_TEST_PROVIDER: text,
  /** Standard Webhooks secrets of providers without their own: `whsec_…`, separated by spaces. */
  VOUCH_WEBHOOK_SECRET: text,
  VOUCH_LIVE_WEBHOOK_SECRET: text,
  VOUCH_TEST_WEBHOOK_SECRET: text,
  /** Requests per second for each API key on each replica, and twice that in bursts. 0 turns this limit off. */
  VOUCH_RATE_LIMIT: amount().default(100),
  /** MiB of the request log for each workspace and day (UTC). Beyond it, contents of requests are not kept. */
  VOUCH_REQUEST_LOG_MIB_PER_DAY: amount().default(256),
  /** Changes by a workspace's API keys in a day (UTC), without mints and transfers. Ending something always works. */
  VOUCH_MAX_CHANGES_PER_DAY: number(1, 1_000_000_000).default(10_000),
  /** Maximum active API keys in each workspace. */
  VOUCH_MAX_API_KEYS: number(1).default(500),
  /** Addresses or CIDR ranges of trusted proxies, whose X-Forwarded-* headers count, separated by commas. */
  VOUCH_TRUSTED_PROXIES: z.string().default(""),
  /** Networks, separated by commas, that webhook endpoints may be in besides the public Internet, also by http. */
  VOUCH_WEBHOOK_NETWORKS: z.string().default(""),
  /** SMTP server for invitations and password resets, such as smtps://user:password@mail.example.com. */
  VOUCH_SMTP_URL: url(/^smtps?$/, "smtps://user:password@mail.example.com").optional(),
  /** Sender of that mail, such as Vouch <vouch@example.com>. */
  VOUCH_MAIL_FROM: text,
  /** Maximum emails to one address in a day (UTC). */
  VOUCH_MAILS_PER_ADDRESS: number(0).default(5),
  /** Maximum emails caused by the members of one account in a day (UTC). */
  VOUCH_MAILS_PER_ACCOUNT: number(0).default(100),
  /** Where to report a vulnerability: mailto:security@example.com, or a page. Shown in /.well-known/security.txt. */
  VOUCH_SECURITY_CONTACT: url(/^(?:mailto|https)$/, "mailto:security@example.com").optional(),
  /** Files of wallets to refuse, separated by spaces (docs/screening.md). Vouch loads a file again when it changes. */
  VOUCH_SANCTIONS_LIST: z
    .string()
    .transform((text) => text.split(/\s+/).filter(Boolean))
    .refine((paths) => paths.length <= 8, { error: "must be at most 8 files" })
    .refine((paths) => new Set(paths.map((path) => basename(path))).size === paths.length, {
      error: "must be files of different names",
    })
    .optional(),
  /** SHA-256 in hexadecimal of a list that may have less than half the entries of the previous one. */
  VOUCH_SANCTIONS_LIST_ACCEPT: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "must be the 64 hexadecimal digits that sha256sum prints")
    .optional(),
  /** Certificate and key (PEM files), if Vouch itself terminates TLS. */
  VOUCH_TLS_CERT: text,
  VOUCH_TLS_KEY: text,
  /** Port of the Prometheus metrics at /metrics (docs/observe.md), if they are served. 0 is any free port. */
  VOUCH_METRICS_PORT: port.optional(),
  /** Address of the metrics. Anyone who reaches it can read them. 0.0.0.0 means all addresses of this machine. */
  VOUCH_METRICS_HOST: z
    .string()
    .refine((host) => isIP(host) !== 0, { error: "must be an IP address such as 127.0.0.1" })
    .default("127.0.0.1"),
  /** Collector of traces, by OTLP over HTTP in JSON, if any. OpenTelemetry's other exporter variables apply too. */
  OTEL_EXPORTER_OTLP_ENDPOINT: url(/^https?$/, "http://localhost:4318").optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url(/^https?$/, "http://localhost:4318/v1/traces").optional(),
  OTEL_SERVICE_NAME: z.string().min(1).default("vouch"),
  /** Which requests are traced: by default those whose caller traces them, and a share of the others. */
  OTEL_TRACES_SAMPLER: oneOf(
    "always_on",
    "always_off",
    "traceidratio",
    "parentbased_always_on",
    "parentbased_always_off",
    "parentbased_traceidratio",
  ).default("parentbased_traceidratio"),
  /** The share, from 0 to 1. */
  OTEL_TRACES_SAMPLER_ARG: amount(1).default(0.01),
  /** trace, debug, info, warn, error or silent. */
  VOUCH_LOG_LEVEL: oneOf("trace", "debug", "info", "warn", "error", "silent").default("info"),
})

export const settingNames = Object.keys(settings.shape)

export type Settings = z.infer<typeof settings> & {
  /** All `VOUCH_` variables that are set: each KYC provider reads its own. */
  environment: Readonly<Record<string, string>>
  /** Names of all variables that are set. */
  names: readonly string[]
}

/** The default provider, except for live sessions of a public deployment. */
export const DEFAULT_PROVIDER = "sandbox"

/** Whether requests without a key are limited. Always, if the server is not for this machine only. */
export const limitsStrangers = ({ VOUCH_RATE_LIMIT, VOUCH_PUBLIC_URL }: Settings): boolean =>
  VOUCH_RATE_LIMIT > 0 || VOUCH_PUBLIC_URL !== undefined

/** Origin of the addresses that a server with these settings returns. */
export const originOf = ({ VOUCH_PUBLIC_URL, VOUCH_TLS_CERT, PORT }: Settings): string =>
  VOUCH_PUBLIC_URL ?? `${VOUCH_TLS_CERT ? "https" : "http"}://localhost:${PORT}`

/** Parses the environment. An empty variable counts as absent. Throws one line per wrong setting. */
export function parseSettings(environment: Record<string, string | undefined>): Settings {
  const given = Object.entries(environment).flatMap(([name, value]) => (value ? [[name, value] as const] : []))
  const parsed = settings.safeParse(Object.fromEntries(given))
  if (parsed.success) {
    const own = given.filter(([name]) => name.startsWith("VOUCH_"))
    const names = given.map(([name]) => name)
    return checkTogether({ ...parsed.data, environment: Object.fromEntries(own), names })
  }
  throw new SettingsError(parsed.error.issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`))
}

function checkTogether(parsed: Settings): Settings {
  const { PORT, VOUCH_LOCALNET_PORT: localnet, VOUCH_METRICS_PORT } = parsed
  const isOne = (one: unknown, other: unknown) => Boolean(one) !== Boolean(other)
  const conflicts: [boolean, string][] = [
    [isOne(parsed.VOUCH_TLS_CERT, parsed.VOUCH_TLS_KEY), "VOUCH_TLS_CERT and VOUCH_TLS_KEY: set both or neither"],
    [isOne(parsed.VOUCH_SMTP_URL, parsed.VOUCH_MAIL_FROM), "VOUCH_SMTP_URL and VOUCH_MAIL_FROM: set both or neither"],
    [
      Boolean(parsed.DATABASE_DIRECT_URL && !parsed.DATABASE_URL),
      "DATABASE_DIRECT_URL: set DATABASE_URL, too. Both must lead to the same database",
    ],
    [PORT > 0 && PORT === VOUCH_METRICS_PORT, "PORT and VOUCH_METRICS_PORT: set different ports"],
    [
      PORT > 0 && (PORT === localnet || PORT === localnet + 1),
      `PORT and VOUCH_LOCALNET_PORT: the local network uses ${localnet} and ${localnet + 1}, so set PORT to another port`,
    ],
  ]
  const conflict = conflicts.find(([isTrue]) => isTrue)
  if (conflict) throw new SettingsError(conflict[1])
  return parsed
}

export class SettingsError extends Error {
  readonly problems: string[]
  constructor(problems: string | string[]) {
    const all = [problems].flat()
    super(`Vouch cannot start with these settings:\n${all.map((problem) => `  ${problem}`).join("\n")}`)
    this.problems = all
  }
}
