import { poolUse } from "#db/client.ts"
import { chainClockDifference, clockDoubt, ownClockDifference } from "#db/clock.ts"
import { underWay } from "#server/http/metrics.ts"
import type { LedgerWorker } from "#server/ledger/index.ts"
import type { Gauge } from "#server/lib/metrics.ts"
import { version } from "#server/lib/version.ts"
import type { Chain } from "#server/solana/chain.ts"
import type { DeploymentFigures } from "./deployment.ts"

/** Maximum fee payers shown for each mode. */
const MOST_PAYERS = 100

export type GaugeOptions = {
  role: string
  chains: readonly Chain[]
  /** The workers of this process, once they have started. */
  ledgers: () => readonly LedgerWorker[]
  deployment: DeploymentFigures
}

/** Metrics that are read at each scrape. */
export const gaugesOf = (options: GaugeOptions): Gauge[] => [
  {
    name: "vouch_build_info",
    help: "Always 1: the version and the role of this process",
    labels: ["version", "role"],
    read: () => [[[version, options.role], 1]],
  },
  {
    name: "vouch_http_requests_in_flight",
    help: "Requests in progress, including those that wait",
    read: () => [[[], underWay.count]],
  },
  ...ofDatabase(options),
  ...ofClocks(),
  ...ofDeployment(options),
  ...ofLedgers(options),
  ...ofRpc(options),
]

const ofDatabase = ({ deployment }: GaugeOptions): Gauge[] => {
  const pools = (of: "leased" | "waiting" | "max") => () => poolUse().map((pool) => [[pool.pool], pool[of]] as const)
  return [
    {
      name: "vouch_database_up",
      help: "1 if the database answered this process within a second at the last read",
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
      help: "Statements and transactions waiting for a connection, by pool",
      labels: ["pool"],
      read: pools("waiting"),
    },
    {
      name: "vouch_database_connections_max",
      help: "Maximum connections of a pool",
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
    help: "0 while nothing is signed or swept because clocks differ or the database's time is unknown",
    read: () => [[[], Number(clockDoubt() === null)]],
  },
]

/** Of the whole deployment, the same in every process: show one of them, not their sum. */
const ofDeployment = ({ deployment }: GaugeOptions): Gauge[] => {
  const modes = () => deployment.now?.modes ?? []
  return [
    {
      name: "vouch_workers",
      help: "Worker processes that reported recently that they are alive",
      read: () => [[[], deployment.now?.workers ?? null]],
    },
    {
      name: "vouch_operations_unfinished",
      help: "Unfinished operations, by mode and status; counted up to 50000",
      labels: ["mode", "status"],
      read: () =>
        modes().flatMap(({ mode, queued, submitted }) => [
          [[mode, "queued"], queued] as const,
          [[mode, "submitted"], submitted] as const,
        ]),
    },
    {
      name: "vouch_oldest_operation_age_seconds",
      help: "Age of the oldest unfinished operation; 0 without one",
      labels: ["mode"],
      read: () => modes().map((one) => [[one.mode], one.oldest_operation_seconds]),
    },
    {
      name: "vouch_transactions_unsettled",
      help: "Signed transactions that have neither landed nor expired",
      labels: ["mode"],
      read: () => modes().map((one) => [[one.mode], one.saved]),
    },
    {
      name: "vouch_oldest_transaction_age_seconds",
      help: "Age of the oldest such transaction; 0 without one",
      labels: ["mode"],
      read: () => modes().map((one) => [[one.mode], one.oldest_transaction_seconds]),
    },
    {
      name: "vouch_quarantined_workspaces",
      help: "Workspaces in quarantine: nothing is signed until a person decides",
      labels: ["mode"],
      read: () => modes().map((one) => [[one.mode], one.quarantined]),
    },
    {
      name: "vouch_audit_age_seconds",
      help: "Time since the last reconciliation of the workspace that has waited longest",
      labels: ["mode"],
      read: () => modes().map((one) => [[one.mode], one.audit_age_seconds]),
    },
    {
      name: "vouch_audit_differences",
      help: "Differences between the chain and the database, as of the last reconciliation of each workspace",
      labels: ["mode"],
      read: () => modes().map((one) => [[one.mode], one.audit_differences]),
    },
    {
      name: "vouch_webhook_overdue_seconds",
      help: "Delay of the most overdue webhook attempt; 0 if none is overdue",
      read: () => [[[], deployment.now?.webhooks_overdue_seconds ?? null]],
    },
  ]
}

/** Of this process's workers. Without a value in a process that only answers requests. */
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
      help: "0 while something stops this worker from working; /v1/health says what",
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
      help: "Transactions in doubt: no node can say whether they landed",
      labels: ["mode"],
      read: each(({ inDoubt }) => inDoubt),
    },
    {
      name: "vouch_chain_slot",
      help: "Highest slot that a node has reported",
      labels: ["mode"],
      read: each(slotOf),
    },
    {
      name: "vouch_chain_slot_age_seconds",
      help: "Time since that slot last rose",
      labels: ["mode"],
      read: each((ledger) => (slotOf(ledger) === null ? null : ledger.chain.rpc.nodes.slotAge_ms / 1000)),
    },
    {
      name: "vouch_chain_clock_difference_seconds",
      help: "The chain's clock minus the database's, if more than the time of a slot",
      labels: ["mode"],
      read: each(({ chain }) => chainClockDifference(chain.mode)),
    },
    {
      name: "vouch_fee_payer_sol",
      help: "Balance of a fee payer: the mode's own and the 99 lowest others",
      labels: ["mode", "address"],
      read: payers("sol"),
    },
    {
      name: "vouch_fee_payer_hours_left",
      help: "Hours until the balance is used up, at the rate of the last hour",
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
      help: "RPC calls to the chain's nodes",
      labels,
      type,
      read: methods("calls"),
    },
    { name: "vouch_rpc_errors_total", help: "RPC calls that failed", labels, type, read: methods("errors") },
    {
      name: "vouch_rpc_seconds_total",
      help: "Total time of RPC calls",
      labels,
      type,
      read: methods("seconds"),
    },
  ]
}
