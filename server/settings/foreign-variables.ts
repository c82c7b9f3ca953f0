/** Variables that begin like settings but belong to other programs: clients, samples and development tools. */
const others = new Set([
  "VOUCH_API_KEY",
  "VOUCH_APPROVAL_RACES",
  "VOUCH_RECOVERY_KILLS",
  "VOUCH_HOLD_RACE",
  "VOUCH_RECOVERY_RACES",
  "VOUCH_BASE_URL",
  "VOUCH_CLUSTER_RPC_URL",
  "VOUCH_DISTRIBUTION_KILLS",
  "VOUCH_DISTRIBUTION_PAYOUTS",
  "VOUCH_E2E",
  "VOUCH_INVESTOR_ACTS",
  "VOUCH_INVESTOR_SEED",
  "VOUCH_KEY",
  "VOUCH_LOT_SEQUENCES",
  "VOUCH_PREFLIGHTS",
  "VOUCH_PREFLIGHT_SEED",
  "VOUCH_RECORD",
  "VOUCH_REGISTER_MOMENTS",
  "VOUCH_SCREENSHOTS",
  "VOUCH_STORM",
  "VOUCH_TESTS_ON_VALIDATOR",
  "VOUCH_URL",
  "VOUCH_WEBHOOK",
])

/**
 * Variables that Kubernetes and Docker set in each container for a service whose name begins with vouch
 * (https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables).
 */
const SERVICE_LINK = /_SERVICE_(HOST|PORT)(_[A-Z0-9_]+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/
const ADDRESS_OF_A_SERVICE = /^(tcp|udp|sctp):\/\//

/** Whether a variable that begins with VOUCH_ belongs to something other than the server. */
export const isForeignVariable = (name: string, value: string): boolean =>
  others.has(name) || SERVICE_LINK.test(name) || (name.endsWith("_PORT") && ADDRESS_OF_A_SERVICE.test(value))
