import { poolUse } from "#db/client.ts"
import { chainClockDifference, clockDoubt, ownClockDifference } from "#db/clock.ts"
import { underWay } from "#server/http/metrics.ts"
import type { LedgerWorker } from "#server/ledger/index.ts"
import { type Family, gauge, gaugesBy } from "#server/lib/metrics.ts"
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
export const gaugesOf = (options: GaugeOptions): Family[] => [
  gaugesBy(
    ["version", "role"],
    () => [options],
    ({ role }) => [version, role],
  )("vouch_build_info", "Always 1: the version and the role of this process", () => 1),
  gauge("vouch_http_requests_in_flight", "Requests in progress, including those that wait", () => underWay.count),
  ...ofDatabase(options),
  gauge("vouch_clock_difference_seconds", "This machine's clock minus the database's", ownClockDifference),
  gauge(
    "vouch_clock_trusted",
    "0 while nothing is signed or swept because clocks differ or the database's time is unknown",
    () => Number(clockDoubt() === null),
  ),
  ...ofDeployment(options),
  ...ofLedgers(options),
  ...ofRpc(options),
]

function ofDatabase({ deployment }: GaugeOptions): Family[] {
  const byPool = gaugesBy(["pool"], poolUse, ({ pool }) => [pool])
  const upHelp = "1 if the database answered this process within a second at the last read"
  const waitingHelp = "Statements and transactions waiting for a connection, by pool"
  return [
    gauge("vouch_database_up", upHelp, () => Number(deployment.isUp)),
    byPool("vouch_database_connections_busy", "Connections in use, by pool", ({ leased }) => leased),
    byPool("vouch_database_connections_waiting", waitingHelp, ({ waiting }) => waiting),
    byPool("vouch_database_connections_max", "Maximum connections of a pool", ({ max }) => max),
  ]
}

/** Of the whole deployment, the same in every process: show one of them, not their sum. */
function ofDeployment({ deployment }: GaugeOptions): Family[] {
  const modes = () => deployment.now?.modes ?? []
  const byMode = gaugesBy(["mode"], modes, ({ mode }) => [mode])
  const byStatus = gaugesBy(
    ["mode", "status"],
    () => modes().flatMap((one) => (["queued", "submitted"] as const).map((status) => ({ ...one, status }))),
    ({ mode, status }) => [mode, status],
  )
  return [
    gauge(
      "vouch_workers",
      "Worker processes that reported recently that they are alive",
      () => deployment.now?.workers ?? null,
    ),
    byStatus(
      "vouch_operations_unfinished",
      "Unfinished operations, by mode and status; counted up to 50000",
      (one) => one[one.status],
    ),
    byMode(
      "vouch_oldest_operation_age_seconds",
      "Age of the oldest unfinished operation; 0 without one",
      (one) => one.oldest_operation_seconds,
    ),
    byMode(
      "vouch_transactions_unsettled",
      "Signed transactions that have neither landed nor expired",
      (one) => one.saved,
    ),
    byMode(
      "vouch_oldest_transaction_age_seconds",
      "Age of the oldest such transaction; 0 without one",
      (one) => one.oldest_transaction_seconds,
    ),
    byMode(
      "vouch_quarantined_workspaces",
      "Workspaces in quarantine: nothing is signed until a person decides",
      (one) => one.quarantined,
    ),
    byMode(
      "vouch_audit_age_seconds",
      "Time since the last reconciliation of the workspace that has waited longest",
      (one) => one.audit_age_seconds,
    ),
    byMode(
      "vouch_audit_differences",
      "Differences between the chain and the database, as of the last reconciliation of each workspace",
      (one) => one.audit_differences,
    ),
    gauge(
      "vouch_webhook_overdue_seconds",
      "Delay of the most overdue webhook attempt; 0 if none is overdue",
      () => deployment.now?.webhooks_overdue_seconds ?? null,
    ),
  ]
}

/** Of this process's workers. Without a value in a process that only answers requests. */
function ofLedgers({ ledgers }: GaugeOptions): Family[] {
  const byMode = gaugesBy(["mode"], ledgers, ({ chain }) => [chain.mode])
  const byPayer = gaugesBy(
    ["mode", "address"],
    () =>
      ledgers().flatMap(({ chain: { mode }, funds }) =>
        funds.balances(MOST_PAYERS).map((payer) => ({ ...payer, mode })),
      ),
    ({ mode, address }) => [mode, address],
  )
  const slotOf = ({ chain }: LedgerWorker) => (chain.rpc.nodes.slot > 0 ? chain.rpc.nodes.slot : null)
  return [
    byMode(
      "vouch_ledger_working",
      "0 while something stops this worker from working; /v1/health says what",
      ({ trouble }) => Number(trouble === null),
    ),
    byMode("vouch_transactions_in_flight", "Transactions that this worker signs or follows", (one) => one.inFlight()),
    byMode(
      "vouch_transactions_in_doubt",
      "Transactions in doubt: no node can say whether they landed",
      ({ inDoubt }) => inDoubt,
    ),
    byMode("vouch_chain_slot", "Highest slot that a node has reported", slotOf),
    byMode("vouch_chain_slot_age_seconds", "Time since that slot last rose", (ledger) =>
      slotOf(ledger) === null ? null : ledger.chain.rpc.nodes.slotAge_ms / 1000,
    ),
    byMode(
      "vouch_chain_clock_difference_seconds",
      "The chain's clock minus the database's, if more than the time of a slot",
      ({ chain }) => chainClockDifference(chain.mode),
    ),
    byPayer("vouch_fee_payer_sol", "Balance of a fee payer: the mode's own and the 99 lowest others", ({ sol }) => sol),
    byPayer(
      "vouch_fee_payer_hours_left",
      "Hours until the balance is used up, at the rate of the last hour",
      ({ hoursLeft }) => hoursLeft,
    ),
  ]
}

function ofRpc({ chains }: GaugeOptions): Family[] {
  const byMethod = gaugesBy(
    ["mode", "method"],
    () =>
      chains.flatMap(({ mode, rpc }) =>
        [...rpc.nodes.metrics.byMethod].map(([method, metrics]) => ({ ...metrics, mode, method })),
      ),
    ({ mode, method }) => [mode, method],
    "counter",
  )
  return [
    byMethod("vouch_rpc_calls_total", "RPC calls to the chain's nodes", ({ calls }) => calls),
    byMethod("vouch_rpc_errors_total", "RPC calls that failed", ({ errors }) => errors),
    byMethod("vouch_rpc_seconds_total", "Total time of RPC calls", ({ seconds }) => seconds),
  ]
}
