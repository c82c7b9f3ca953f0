import type { TableRow } from "#db/rows.ts"
import { type ApprovalAction, type ApproverRole, allApprovalActions } from "#shared/approvals.ts"
import type { Mode } from "#shared/mode.ts"

export type PolicyRow = Pick<
  TableRow<"approval_policies">,
  "id" | "version" | "actions" | "mint_config" | "min_amount" | "approvals" | "roles" | "expires_in_hours"
>
/** A workspace's policy, or a default one, which has no id. */
export type Policy = Omit<PolicyRow, "id"> & { id: string | null }

/** What decides which policy binds a request: its workspace's mode and policies. */
export type Binding = { mode: Mode; policies: PolicyRow[] }

/** A request, as far as a policy can tell it from others. */
export type Asked = {
  action: ApprovalAction
  /** Other actions that it amounts to, whose policies bind it too. */
  also?: readonly ApprovalAction[]
  mint_config: string | null
  /** Whether it concerns every token, so that a policy about any of them binds it. */
  isAboutAll?: boolean
  /** Whole tokens; for a list to revoke, its number of verifications. */
  amount: string | null
  /** Whether it takes tokens without their holder's consent. */
  isForced: boolean
}

const defaultFor = (action: ApprovalAction): Policy => ({
  id: null,
  version: 1,
  actions: [action],
  mint_config: null,
  min_amount: null,
  approvals: 1,
  roles: ["owner", "compliance"],
  expires_in_hours: 72,
})

/** Whether a request needs approval without any policy of the workspace. */
const needsByDefault: { [action in ApprovalAction]?: (asked: Asked, mode: Mode) => boolean } = {
  burn: ({ isForced }, mode) => mode === "live" && isForced,
  force_transfer: (_asked, mode) => mode === "live",
  recovery: (_asked, mode) => mode === "live",
  // One member alone could otherwise act against a pause that another one ordered.
  while_paused: () => true,
  // An earlier date ends a holding period sooner.
  lot_backdate: () => true,
  // A change that loosens a policy. Otherwise one member could remove what two must decide.
  policy_change: () => true,
}

/** The default policies. Each binds what no policy of the workspace covers; that of burns, those without consent. */
export const defaultPolicies = (mode: Mode): Policy[] =>
  allApprovalActions
    .filter((action) => needsByDefault[action]?.({ action, mint_config: null, amount: null, isForced: true }, mode))
    .map(defaultFor)

/** The policy that binds a request; null if it needs no approval. Of several, the one that requires the most. */
export function bindingPolicy({ mode, policies }: Binding, asked: Asked): Policy | null {
  const [strictest] = policies
    .filter((policy) => covers(policy, asked))
    .sort((a, b) => b.approvals - a.approvals || a.roles.length - b.roles.length || (a.id < b.id ? -1 : 1))
  const isNeeded = actionsOf(asked).some((action) => needsByDefault[action]?.(asked, mode))
  return strictest ?? (isNeeded ? defaultFor(asked.action) : null)
}

const actionsOf = ({ action, also = [] }: Asked): ApprovalAction[] => [action, ...also]

function covers(policy: Policy, asked: Asked): boolean {
  const { mint_config, min_amount } = policy
  if (!binds(policy, actionsOf(asked))) return false
  if (mint_config !== null && asked.mint_config !== mint_config && !asked.isAboutAll) return false
  const amount = amountFor(policy, asked)
  return min_amount === null || amount === null || scaled(amount) >= scaled(min_amount)
}

/** A list's amount is a number of verifications, so only a policy about nothing else can mean it by an amount. */
const amountFor = ({ actions }: Policy, { action, amount }: Asked): string | null =>
  action === "attestation_revoke_bulk" && actions.some((one) => one !== action) ? null : amount

/** The most digits after the point that a token can have. */
const PLACES = 9

/** An amount as a number that can be compared. */
function scaled(amount: string): bigint {
  const [whole = "", fraction = ""] = amount.split(".")
  return BigInt(whole + fraction.padEnd(PLACES, "0"))
}

/** Whether a change of a policy, or its end, lets something through that it did not let through before. */
export function loosens(before: Policy, after: Policy | null): boolean {
  if (after === null) return true
  const isKept =
    before.actions.every((action) => after.actions.includes(action)) &&
    (after.mint_config === null || after.mint_config === before.mint_config) &&
    (after.min_amount === null || (before.min_amount !== null && scaled(after.min_amount) <= scaled(before.min_amount)))
  return (
    !isKept ||
    after.approvals < before.approvals ||
    !isWithin(after.roles, before.roles) ||
    after.expires_in_hours > before.expires_in_hours
  )
}

/**
 * Whether a new policy can take the place of an existing one with other approvers. Two policies about different
 * actions or configurations never meet.
 */
export function displaces(added: Policy, existing: Policy): boolean {
  const meets =
    requests.some((request) => binds(added, request) && binds(existing, request)) &&
    (added.mint_config === null || existing.mint_config === null || added.mint_config === existing.mint_config)
  if (!meets || added.approvals < existing.approvals) return false
  return !isWithin(added.roles, existing.roles) || added.expires_in_hours > existing.expires_in_hours
}

/** The most that a request can amount to. Any policy about one of these actions binds it. */
const requests: readonly ApprovalAction[][] = [
  ...allApprovalActions.map((action) => [action]),
  ["force_transfer", "hold_execute", "while_paused"],
  ["burn", "hold_execute", "while_paused"],
  ["mint", "lot_backdate"],
  ["recovery", "force_transfer"],
  ["distribution", "mint"],
]

const binds = ({ actions }: Policy, request: readonly ApprovalAction[]): boolean =>
  request.some((action) => actions.includes(action))

const isWithin = (roles: readonly ApproverRole[], others: readonly ApproverRole[]): boolean =>
  roles.every((role) => others.includes(role))
