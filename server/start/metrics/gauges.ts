import { poolUse } from "#db/client.ts"
import { chainClockDifference, clockDoubt, ownClockDifference } from "#db/clock.ts"
import { underWay } from "#server/http/metrics.ts"
import type { LedgerWorker } from "#server/ledger/worker.ts"
import type { Gauge } from "#server/lib/metrics.ts"
import { version } from "#server/lib/version.ts"
import type { Chain } from "#server/solana/chain.ts"
import type { DeploymentFigures } from "./deployment.ts"

/** Fee payers of a mode that are shown. */
const MOST_PAYERS = 100

export type GaugeOptions = {
  role: string
  chains: readonly Chain[]
  /** Those of this process, once they have started. */
  ledgers: () => readonly LedgerWorker[]
  deployment: DeploymentFigures
}

/** What is read when somebody asks. */
export const gaugesOf = (options: GaugeOptions): Gauge[] => [
  {
    name: "vouch_build_info",
    help: "Always 1: the version and the role of this process",
    labels: ["version", "role"],
    read: () => [[[version, options.role], 1]],
  },
  {
    name: "vouch_http_requests_in_flight",
    help: "Requests without an answer, those that wait for their turn among them",
    read: () => [[[], underWay.count]],
  },
  ...ofDatabase(options),
  ...ofClocks(),
  ...ofDeployment(options),
  ...ofLedgers(options),
  ...ofRpc(options),
]

const ofDatabase = ({ deployment }: GaugeOptions): Gauge[] => {
  const pools = (of: "leased" | "waiting" | "max") => () =>
    poolUse().map((pool) => [[pool.pool], pool[of]] as const)
  return [
    {
      name: "vouch_database_up",
      help: "1 where the database answered this process within a second when it was last asked",
      read: () => [[[], Number(deployment.isUp)]],
    },
    {
      name: "vouch_database_connections_busy",
      help: "Connections in use, by pool",
      labels: ["pool"],
      read: pools("leased"),
    },
    {
      name: "vouch_database_connections_waiting",
      help: "Statements and transactions that wait for a connection, by pool",
      labels: ["pool"],
      read: pools("waiting"),
    },
    {
      name: "vouch_database_connections_max",
      help: "Most connections of a pool",
      labels: ["pool"],
      read: pools("max"),
    },
  ]
}

const ofClocks = (): Gauge[] => [
  {
    name: "vouch_clock_difference_seconds",
    help: "This machine's clock minus the database's",
    read: () => [[[], ownClockDifference()]],
  },
  {
    name: "vouch_clock_trusted",
    help: "0 while clocks differ or the database's time is unknown, and so nothing is signed or swept",
    read: () => [[[], Number(clockDoubt() === null)]],
  },
]

/** Of the whole deployment, the same in every process: show one of them, not their sum. */
const ofDeployment = ({ deployment }: GaugeOptions): Gauge[] => {
  const modes = () => deployment.now?.modes ?? []
  return [
    {
      name: "vouch_workers",
      help: "Worker processes that have given a sign of life lately",
      read: () => [[[], deployment.now?.workers ?? null]],
    },
    {
      name: "vouch_operations_unfinished",
      help: "Operations that are not done, by mode and status; counted up to 50000",
      labels: ["mode", "status"],
      read: () =>
        modes().flatMap(({ mode, queued, submitted }) => [
          [[mode, "queued"], queued] as const,
          [[mode, "submitted"], submitted] as const,
        ]),
    },
    {
      name: "vouch_oldest_operation_age_seconds",
      help: "Age of the oldest operation that is not done; 0 without one",
      labels: ["mode"],
      read: () => modes().map((one) => [[one.mode], one.oldest_operation_seconds]),
    },
    {
      name: "vouch_transactions_unsettled",
      help: "Saved transactions that have neither landed nor expired",
      labels: ["mode"],
      read: () => modes().map((one) => [[one.mode], one.saved]),
    },
    {
      name: "vouch_oldest_transaction_age_seconds",
      help: "Age of the oldest of them; 0 without one",
      labels: ["mode"],
      read: () => modes().map((one) => [[one.mode], one.oldest_transaction_seconds]),
    },
    {
      name: "vouch_quarantined_workspaces",
      help: "Workspaces for which nothing is signed until a person decides",
      labels: ["mode"],
      read: () => modes().map((one) => [[one.mode], one.quarantined]),
    },
    {
      name: "vouch_audit_age_seconds",
      help: "Time since the workspace that was compared with the chain longest ago was compared",
      labels: ["mode"],
      read: () => modes().map((one) => [[one.mode], one.audit_age_seconds]),
    },
    {
      name: "vouch_audit_differences",
      help: "Differences between the chain and the database, as of the last comparison of each workspace",
      labels: ["mode"],
      read: () => modes().map((one) => [[one.mode], one.audit_differences]),
    },
    {
      name: "vouch_webhook_overdue_seconds",
      help: "For how long the webhook that is longest due has waited for its attempt; 0 while none is due",
      read: () => [[[], deployment.now?.webhooks_overdue_seconds ?? null]],
    },
  ]
}

/** Of the workers of this process; nothing in a process that only answers requests. */
const ofLedgers = ({ ledgers }: GaugeOptions): Gauge[] => {
  const each = (of: (ledger: LedgerWorker) => number | null) => () =>
    ledgers().map((ledger) => [[ledger.chain.mode], of(ledger)] as const)
  const payers = (of: "sol" | "hoursLeft") => () =>
    ledgers().flatMap(({ chain, funds }) =>
      funds.balances(MOST_PAYERS).map((payer) => [[chain.mode, payer.address], payer[of]] as const),
    )
  const slotOf = ({ chain }: LedgerWorker) => (chain.rpc.nodes.slot > 0 ? chain.rpc.nodes.slot : null)
  return [
    {
      name: "vouch_ledger_working",
      help: "0 while something keeps this worker from its work; /v1/health says what",
      labels: ["mode"],
      read: each(({ trouble }) => Number(trouble === null)),
    },
    {
      name: "vouch_transactions_in_flight",
      help: "Transactions that this worker signs or follows",
      labels: ["mode"],
      read: each((ledger) => ledger.inFlight()),
    },
    {
      name: "vouch_transactions_in_doubt",
      help: "Transactions of which nobody can say whether they have landed",
      labels: ["mode"],
      read: each(({ inDoubt }) => inDoubt),
    },
    {
      name: "vouch_chain_slot",
      help: "Highest slot that a node has answered for",
      labels: ["mode"],
      read: each(slotOf),
    },
    {
      name: "vouch_chain_slot_age_seconds",
      help: "Time since that slot was last a higher one",
      labels: ["mode"],
      read: each((ledger) => (slotOf(ledger) === null ? null : ledger.chain.rpc.nodes.slotAge_ms / 1000)),
    },
    {
      name: "vouch_chain_clock_difference_seconds",
      help: "Chain's clock minus the database's, where it is more than a slot's time",
      labels: ["mode"],
      read: each(({ chain }) => chainClockDifference(chain.mode)),
    },
    {
      name: "vouch_fee_payer_sol",
      help: "Balance of a fee payer, for the mode's own one and the 99 others that have least",
      labels: ["mode", "address"],
      read: payers("sol"),
    },
    {
      name: "vouch_fee_payer_hours_left",
      help: "For how many hours that lasts at the rate of the last one",
      labels: ["mode", "address"],
      read: payers("hoursLeft"),
    },
  ]
}

const ofRpc = ({ chains }: GaugeOptions): Gauge[] => {
  const methods = (of: "calls" | "errors" | "seconds") => () =>
    chains.flatMap(({ mode, rpc }) =>
      [...rpc.nodes.metrics.byMethod].map(([method, metrics]) => [[mode, method], metrics[of]] as const),
    )
  const labels = ["mode", "method"]
  const type = "counter"
  return [
    {
      name: "vouch_rpc_calls_total",
      help: "Calls of the chain's nodes",
      labels,
      type,
      read: methods("calls"),
    },
    { name: "vouch_rpc_errors_total", help: "Those that failed", labels, type, read: methods("errors") },
    {
      name: "vouch_rpc_seconds_total",
      help: "Time that all of them took together",
      labels,
      type,
      read: methods("seconds"),
    },
  ]
}
