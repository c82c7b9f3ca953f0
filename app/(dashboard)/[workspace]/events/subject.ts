import type { RouterOutputs } from "#app/(dashboard)/workspace.tsx"

export type Event = RouterOutputs["event"]["view"]["event"]

/** What an event is about: its name, its page's path below the workspace, and further details. */
export type Subject = { name: string; parts: string[] | null; more: string | null }

export function subjectOf({ type, data }: Event): Subject {
  const of = data as Record<string, unknown>
  const text = (name: string) => (typeof of[name] === "string" ? of[name] : null)
  const [review, operation, attestation, config] = [
    text("review_id"),
    text("operation_id"),
    text("attestation_id"),
    text("mint_config"),
  ]
  const wallet = text("user_pubkey")
  const approval = text("approval_id")
  if (approval !== null) return { name: approval, parts: ["approvals", approval], more: config }
  if (review !== null) return { name: review, parts: ["reviews", review], more: wallet }
  const distribution = text("distribution_id")
  if (distribution !== null) return { name: distribution, parts: ["distributions", distribution], more: config }
  const hold = text("hold_id")
  if (hold !== null && config !== null) return { name: hold, parts: ["tokens", config], more: wallet }
  const snapshot = text("snapshot_id")
  if (snapshot !== null && config !== null) return { name: snapshot, parts: ["tokens", config], more: config }
  if (operation !== null && config !== null)
    return { name: operation, parts: ["tokens", config, "operations", operation], more: wallet }
  if (attestation !== null) return { name: attestation, parts: ["attestations", attestation], more: wallet }
  if (config !== null) return { name: config, parts: ["tokens", config], more: text("symbol") ?? wallet }
  const recovery = text("recovery_id")
  if (recovery !== null) return { name: recovery, parts: ["recoveries", recovery], more: wallet }
  const investor = text("investor_id")
  if (investor !== null) return { name: investor, parts: ["investors", investor], more: wallet }
  if (type === "quota.threshold")
    return { name: `${of.used} of ${of.included}`, parts: ["overview"], more: `${of.percent} % used` }
  return { name: wallet ?? type, parts: null, more: null }
}
