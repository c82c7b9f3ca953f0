import type { Preflight, TokenView } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { type InputOf, useDebounced, useQuery } from "#app/(dashboard)/workspace.tsx"
import { problemOf } from "#app/components/problem.ts"
import { isAddress } from "#shared/address.ts"
import type { Exemption } from "#shared/lots.ts"
import type { MovementKind } from "#shared/movements.ts"

/** How often the rules are checked again while the form is open: an investor may become verified in the meantime. */
const CHECK_EVERY_MS = 4000

/** What a form is about to send. A mint has no sender and a burn no recipient. */
export type Sending = {
  kind: MovementKind
  token: TokenView
  from: string
  to: string
  amount: string
  /** Only of a burn. */
  hasConsent?: boolean
  /** Holds to take from first. */
  holds?: readonly string[]
  /** The hold that a forced transfer executes. */
  executes?: string
  /** Only of a mint. */
  lot?: { exemption: Exemption; acquired_at?: string }
  /** Only of a burn or a forced transfer. */
  whilePaused?: boolean
}

export const isComplete = ({ kind, from, to, amount }: Sending): boolean =>
  amount !== "" && (kind === "mint" || isAddress(from)) && (kind === "burn" || isAddress(to))

const askOf = (sending: Sending): InputOf<"token.formPreflight"> => {
  const { kind, token, from, to, amount, hasConsent = false, executes, whilePaused: while_paused, lot } = sending
  const forced = { while_paused, ...namedHolds(sending) }
  const common = { mint_config: token.id, amount }
  if (kind === "mint") return { kind, ...common, user_pubkey: to, ...(lot && { lot }) }
  if (kind === "burn") return { kind, ...common, user_pubkey: from, holder_consent: hasConsent, ...forced }
  const between = { ...common, from_pubkey: from, to_pubkey: to }
  if (kind === "transfer") return { kind, ...between }
  return { kind, ...between, ...forced, ...(executes !== undefined && { executes }) }
}

/** The holds that a request names. Naming none leaves the field out. */
export const namedHolds = ({ holds = [] }: Pick<Sending, "holds">): { holds?: string[] } =>
  holds.length === 0 ? {} : { holds: [...holds] }

type Problem = { field: string; text: string }
export type Checked = {
  /** The answer for the previous values, while the one for the current values loads. */
  preflight: Preflight | undefined
  isCurrent: boolean
  /** Whether the rules allow the entered values. */
  isAccepted: boolean
  problem: Problem | null
}

/** For a repeat of what may have been done: the rules were checked before it, and the server does it at most once. */
export const REPEATED = { isAccepted: true, problem: null } as const satisfies Partial<Checked>

/** What the rules say about the entered values, once typing pauses. */
export function usePreflight(sending: Sending): Checked {
  const current = JSON.stringify([sending.from, sending.to, sending.amount])
  const settled = useDebounced(current)
  const isSettled = settled === current
  const complete = isComplete(sending)
  const [from, to, amount] = JSON.parse(settled) as [string, string, string]
  const read = useQuery("token.formPreflight", askOf({ ...sending, from, to, amount }), {
    keep: true,
    enabled: isSettled && complete,
    every_ms: CHECK_EVERY_MS,
  })
  const problem = isSettled && read.error ? readProblem(read.error) : null
  const preflight = complete && !problem ? read.data : undefined
  const isCurrent = isSettled && preflight !== undefined && !read.isPlaceholderData
  return { preflight, isCurrent, isAccepted: isCurrent && preflight.answer.error === null, problem }
}

function readProblem(error: unknown): Problem {
  const { detail } = problemOf(error)
  const [, field = "amount", text = detail] = /^([\w.]+): (.*)$/s.exec(detail) ?? []
  return { field, text: text.charAt(0).toUpperCase() + text.slice(1) }
}
