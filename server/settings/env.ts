import { isIP } from "node:net"
import { basename } from "node:path"
import { z } from "zod"
import { AddressError, addressOf } from "#db/address.ts"
import { LEAST_CONNECTIONS } from "#db/client.ts"

const text = z.string().min(1).optional()
/** A number in digits. JavaScript would read 0x10, 1e3 and a blank, too. */
const number = (
  least: number,
  most = Number.POSITIVE_INFINITY,
  { digits = /^\d+$/, what = "a whole number" } = {},
) =>
  z
    .string()
    .transform((text) => (digits.test(text) ? Number(text) : Number.NaN))
    .refine((value) => value >= least && value <= most, {
      error: Number.isFinite(most)
        ? `must be ${what} from ${least} to ${most}`
        : `must be ${what}, at least ${least}`,
    })
/** One that may have a fraction. */
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
  { error: "must have no user name and no password; a key belongs into its path or query", abort: true },
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

const price = number(0, 1_000_000_000)

/** Every setting of a deployment, each with what it does. `.env.example` repeats it for people. */
const settings = z.object({
  /** Port of the API, the dashboard and the hosted pages. */
  PORT: port.default(3000),
  /** Public origin, such as https://vouch.example.com. Without it Vouch serves this machine only. */
  VOUCH_PUBLIC_URL: url(/^https?$/, "https://vouch.example.com")
    .transform((url) => new URL(url).origin)
    .optional(),
  /** `web` answers requests, `worker` moves the ledger, `all` does both. */
  VOUCH_ROLE: oneOf("all", "web", "worker").default("all"),
  /** Where the embedded database, the local network and generated secrets live. */
  VOUCH_DATA_DIR: z.string().min(1).default(".data"),
  /** PostgreSQL 15 or newer. Without it, an embedded PostgreSQL 18 runs in the data directory. */
  DATABASE_URL: databaseUrl,
  /** Direct address of the same database, where DATABASE_URL is a pooler: LISTEN needs a session. */
  DATABASE_DIRECT_URL: databaseUrl,
  /**
   * Maximum database connections of this process, not counting the one for LISTEN: one each for hot reads, API keys
   * and health, four for the ledger and scheduled work, the others for requests.
   */
  VOUCH_DATABASE_POOL: number(LEAST_CONNECTIONS, 500).default(20),
  /**
   * Solana JSON-RPC of both modes, or of one: an address, or several of the same chain, of which the first that can
   * answer is asked. Without any, an embedded local network runs.
   */
  SOLANA_RPC_URL: rpcUrls,
  VOUCH_LIVE_SOLANA_RPC_URL: rpcUrls,
  VOUCH_TEST_SOLANA_RPC_URL: rpcUrls,
  /** Addresses that transactions are sent to besides those. */
  SOLANA_SEND_URL: rpcUrls,
  VOUCH_LIVE_SOLANA_SEND_URL: rpcUrls,
  VOUCH_TEST_SOLANA_SEND_URL: rpcUrls,
  /** Calls per second that each mode of this process makes to each of these addresses, at most. 0 turns it off. */
  VOUCH_RPC_CALLS_PER_SECOND: amount().default(50),
  /** Port of the embedded local network's JSON-RPC; its WebSocket is on the next port. */
  VOUCH_LOCALNET_PORT: port.default(8899),
  /** Length of a slot of the embedded local network, in milliseconds. A public cluster has 400. */
  VOUCH_LOCALNET_SLOT_MS: number(5, 10_000).default(50),
  /** 1 lets tests tell the embedded local network to misbehave. */
  VOUCH_LOCALNET_FAULTS: flag,
  /** When clients are told that something is on chain: `confirmed`, or `finalized`, which takes some 13 s on a cluster. */
  VOUCH_COMMITMENT: oneOf("confirmed", "finalized").default("confirmed"),
  /**
   * Price per compute unit that transactions offer, in micro-lamports: at least so much, and at most so much. In between it
   * is a percentile of what others paid lately to write the same accounts, and doubles each time that a transaction
   * expires. Fixed where the maximum is no more than the minimum, and on the embedded local network.
   */
  VOUCH_PRIORITY_FEE_MICROLAMPORTS: price.default(0),
  VOUCH_PRIORITY_FEE_MAX_MICROLAMPORTS: price.default(100_000),
  VOUCH_PRIORITY_FEE_PERCENTILE: number(0, 100).default(60),
  /**
   * How often a holder's token account that was closed is paid for again in a calendar month (UTC), for each wallet and mint
   * configuration or schema. Whoever closes an empty account keeps its rent.
   */
  VOUCH_ACCOUNT_REOPENINGS: number(0, 1_000_000).default(3),
  /** Days after which what has ended on chain goes to the archive (docs/operations.md); 0 is never. */
  VOUCH_ARCHIVE_AFTER_DAYS: number(0, 36_500).default(90),
  /** Fee payer's balance below which /health is degraded, in SOL. */
  VOUCH_LOW_BALANCE_SOL: amount().default(0.1),
  /** /health is degraded as well where the balance lasts fewer hours, at the rate of the last one. */
  VOUCH_LOW_BALANCE_HOURS: amount().default(24),
  /** Secret from which fee payers, workspace authorities and keys of mints derive: base64 of 32 bytes or more. */
  VOUCH_SIGNER: text,
  /**
   * Where the key is that pays for each mode: derived:, file:, aws-kms:, gcp-kms: or vault: (docs/operations.md). The
   * default derives from VOUCH_SIGNER.
   */
  VOUCH_LIVE_FEE_PAYER: text,
  VOUCH_TEST_FEE_PAYER: text,
  /** The same for the key that issues, in workspaces that are created from now on. Others keep theirs. */
  VOUCH_LIVE_AUTHORITY: text,
  VOUCH_TEST_AUTHORITY: text,
  /**
   * Key that seals claims (AES-256-GCM): base64 of 32 bytes. While it is replaced several, separated by spaces: the first
   * one seals, all of them open.
   */
  VOUCH_DATA_KEY: text,
  /**
   * Who verifies in each mode: a provider, and others for single schemas, such as `sandbox
   * accredited_investor_v1=other`. Providers have settings of their own.
   */
  VOUCH_LIVE_PROVIDER: text,
  VOUCH_TEST_PROVIDER: text,
  /**
   * Secrets of Standard Webhooks, by which providers sign that have none of their own: `whsec_…`, separated by spaces.
   */
  VOUCH_WEBHOOK_SECRET: text,
  VOUCH_LIVE_WEBHOOK_SECRET: text,
  VOUCH_TEST_WEBHOOK_SECRET: text,
  /**
   * Requests per second and API key on each replica; bursts may hold twice that. 0 turns it off, and without
   * VOUCH_PUBLIC_URL the limits for strangers as well.
   */
  VOUCH_RATE_LIMIT: amount().default(100),
  /**
   * Space that the request log may take for each workspace and day (UTC), in MiB. Beyond it, only the method, path, status and
   * ids of a request are kept.
   */
  VOUCH_REQUEST_LOG_MIB_PER_DAY: amount().default(256),
  /**
   * Changes that the API keys of a workspace may make in a day (UTC). What ends something is always possible, and mints and
   * transfers do not count.
   */
  VOUCH_MAX_CHANGES_PER_DAY: number(1, 1_000_000_000).default(10_000),
  /** Active API keys that members may create in each workspace. */
  VOUCH_MAX_API_KEYS: number(1).default(500),
  /** Addresses or CIDR ranges of proxies whose X-Forwarded-* headers are believed, separated by commas. */
  VOUCH_TRUSTED_PROXIES: z.string().default(""),
  /**
   * Addresses or CIDR ranges, separated by commas, in which webhook endpoints may be besides the public Internet, such as
   * 10.0.0.0/8. There they may be http.
   */
  VOUCH_WEBHOOK_NETWORKS: z.string().default(""),
  /** SMTP server for invitations and password resets, such as smtps://user:password@mail.example.com. */
  VOUCH_SMTP_URL: url(/^smtps?$/, "smtps://user:password@mail.example.com").optional(),
  /** Sender of that mail, such as Vouch <vouch@example.com>. */
  VOUCH_MAIL_FROM: text,
  /** Mails that one address gets in a day (UTC), whoever causes them. */
  VOUCH_MAILS_PER_ADDRESS: number(0).default(5),
  /** Mails that the members of one account may cause in a day (UTC). */
  VOUCH_MAILS_PER_ACCOUNT: number(0).default(100),
  /** Where whoever found a weakness writes to: mailto:security@example.com, or a page. In /.well-known/security.txt. */
  VOUCH_SECURITY_CONTACT: url(/^(?:mailto|https)$/, "mailto:security@example.com").optional(),
  /**
   * Files of wallets that are refused, one or several, separated by spaces (docs/screening.md). Each is loaded again when it
   * changes.
   */
  VOUCH_SANCTIONS_LIST: z
    .string()
    .transform((text) => text.split(/\s+/).filter(Boolean))
    .refine((paths) => paths.length <= 8, { error: "must be at most 8 files" })
    .refine((paths) => new Set(paths.map((path) => basename(path))).size === paths.length, {
      error: "must be files of different names",
    })
    .optional(),
  /** SHA-256 of a list, in hexadecimal, that may have less than half of the entries of the one before. */
  VOUCH_SANCTIONS_LIST_ACCEPT: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "must be the 64 hexadecimal digits that sha256sum prints")
    .optional(),
  /** Certificate and key (PEM files), if Vouch itself ends TLS. */
  VOUCH_TLS_CERT: text,
  VOUCH_TLS_KEY: text,
  /** Port of the metrics for Prometheus, at /metrics (docs/observe.md). Not served without it; 0 is any free one. */
  VOUCH_METRICS_PORT: port.optional(),
  /** Address that it listens on: whoever reaches it reads them. 0.0.0.0 is every one of this machine. */
  VOUCH_METRICS_HOST: z
    .string()
    .refine((host) => isIP(host) !== 0, { error: "must be an IP address such as 127.0.0.1" })
    .default("127.0.0.1"),
  /**
   * Collector that traces are sent to, by OTLP over HTTP in JSON: its address without /v1/traces, or one with it. None are made
   * without. The other variables of OpenTelemetry's exporter, such as OTEL_EXPORTER_OTLP_HEADERS, count too.
   */
  OTEL_EXPORTER_OTLP_ENDPOINT: url(/^https?$/, "http://localhost:4318").optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url(/^https?$/, "http://localhost:4318/v1/traces").optional(),
  OTEL_SERVICE_NAME: z.string().min(1).default("vouch"),
  /** Which requests are traced: unless told otherwise those whose caller traces them, and of others a share. */
  OTEL_TRACES_SAMPLER: oneOf(
    "always_on",
    "always_off",
    "traceidratio",
    "parentbased_always_on",
    "parentbased_always_off",
    "parentbased_traceidratio",
  ).default("parentbased_traceidratio"),
  /** That share, from 0 to 1. */
  OTEL_TRACES_SAMPLER_ARG: amount(1).default(0.01),
  /** trace, debug, info, warn, error or silent. */
  VOUCH_LOG_LEVEL: oneOf("trace", "debug", "info", "warn", "error", "silent").default("info"),
})

export const settingNames = Object.keys(settings.shape)

export type Settings = z.infer<typeof settings> & {
  /** All `VOUCH_` variables that are set: each KYC provider reads its own. */
  environment: Readonly<Record<string, string>>
  /** Names of all variables that are set, whoever reads them. */
  names: readonly string[]
}

/** Who verifies where nothing else is chosen, but for live cases of a public deployment. */
export const DEFAULT_PROVIDER = "sandbox"

/** Whether strangers are limited: always where others than this machine reach the server. */
export const limitsStrangers = ({ VOUCH_RATE_LIMIT, VOUCH_PUBLIC_URL }: Settings): boolean =>
  VOUCH_RATE_LIMIT > 0 || VOUCH_PUBLIC_URL !== undefined

/** Origin of the addresses that a server with these settings hands out. */
export const originOf = ({ VOUCH_PUBLIC_URL, VOUCH_TLS_CERT, PORT }: Settings): string =>
  VOUCH_PUBLIC_URL ?? `${VOUCH_TLS_CERT ? "https" : "http"}://localhost:${PORT}`

/** Parses the environment. An empty variable counts as absent. Throws one line per wrong setting. */
export function parseSettings(environment: Record<string, string | undefined>): Settings {
  const given = Object.entries(environment).flatMap(([name, value]) =>
    value ? [[name, value] as const] : [],
  )
  const parsed = settings.safeParse(Object.fromEntries(given))
  if (parsed.success) {
    const own = given.filter(([name]) => name.startsWith("VOUCH_"))
    const names = given.map(([name]) => name)
    return checkTogether({ ...parsed.data, environment: Object.fromEntries(own), names })
  }
  throw new SettingsError(parsed.error.issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`))
}

function checkTogether(parsed: Settings): Settings {
  if (Boolean(parsed.VOUCH_TLS_CERT) !== Boolean(parsed.VOUCH_TLS_KEY)) {
    throw new SettingsError(["VOUCH_TLS_CERT and VOUCH_TLS_KEY: set both or neither"])
  }
  if (Boolean(parsed.VOUCH_SMTP_URL) !== Boolean(parsed.VOUCH_MAIL_FROM)) {
    throw new SettingsError(["VOUCH_SMTP_URL and VOUCH_MAIL_FROM: set both or neither"])
  }
  if (parsed.DATABASE_DIRECT_URL && !parsed.DATABASE_URL) {
    throw new SettingsError([
      "DATABASE_DIRECT_URL: set DATABASE_URL, too: it is another way to the same database",
    ])
  }
  const { PORT, VOUCH_LOCALNET_PORT, VOUCH_METRICS_PORT } = parsed
  if (PORT > 0 && PORT === VOUCH_METRICS_PORT) {
    throw new SettingsError(["PORT and VOUCH_METRICS_PORT: metrics have a port of their own"])
  }
  if (PORT > 0 && (PORT === VOUCH_LOCALNET_PORT || PORT === VOUCH_LOCALNET_PORT + 1)) {
    throw new SettingsError([
      `PORT and VOUCH_LOCALNET_PORT: the local network takes ${VOUCH_LOCALNET_PORT} and ${VOUCH_LOCALNET_PORT + 1}, so set PORT to another port`,
    ])
  }
  return parsed
}

export class SettingsError extends Error {
  readonly problems: string[]
  constructor(problems: string[]) {
    super(`Vouch cannot start with these settings:\n${problems.map((problem) => `  ${problem}`).join("\n")}`)
    this.problems = problems
  }
}
