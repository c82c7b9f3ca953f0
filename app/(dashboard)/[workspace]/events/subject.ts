import { titleOf } from "#app/(dashboard)/[workspace]/approvals/summary.ts"
import { nameOf } from "#app/(dashboard)/person-words.ts"
import type { RouterOutputs } from "#app/(dashboard)/workspace.tsx"
import { shorten } from "#app/components/code.tsx"
import { grouped } from "#shared/amount.ts"
import type { OperationKind } from "#shared/movements.ts"

type View = RouterOutputs["event"]["view"]
export type Event = View["event"]
/** The people, tokens and requests in events. */
export type Names = Pick<View, "people" | "tokens" | "approvals">

/** What an event is about in words, the id of that, and its page's path below the workspace. */
export type Subject = { words: string; id: string | null; parts: string[] | null }

export function subjectOf({ type, data }: Event, { people, tokens, approvals }: Names): Subject {
  const of = data as Record<string, unknown>
  const text = (name: string) => (typeof of[name] === "string" ? of[name] : null)
  const [wallet, config] = [text("user_pubkey"), text("mint_config")]
  const personOf = (pubkey: string) => {
    const person = people.find(({ user_pubkey }) => user_pubkey === pubkey)
    return person ? nameOf(person) : shorten(pubkey)
  }
  const token = tokens.find(({ id }) => id === config)
  const tokenName = token?.name ?? config
  const amountOf = () => `${grouped(text("amount") ?? "")} ${token?.symbol ?? config}`
  const who = wallet && personOf(wallet)
  const about = (id: string | null, words: string | null, ...parts: string[]) =>
    id === null ? null : { words: words ?? id, id: words === null ? null : id, parts: [...parts, id] }
  const inToken = (id: string | null, words: string | null) =>
    id === null || config === null ? null : { words: words ?? id, id, parts: ["tokens", config] }

  const request = () => {
    const approval = approvals.find(({ id }) => id === text("approval_id"))
    const tokenOf = (id: string) => tokens.find((one) => one.id === id)
    const named = {
      person: personOf,
      token: (id: string) => tokenOf(id)?.name ?? id,
      symbol: (id: string) => tokenOf(id)?.symbol ?? id,
      object: shorten,
    }
    return approval ? titleOf(approval, named) : tokenName
  }
  const hold = () => inToken(text("hold_id"), who && `${amountOf()} of ${who}`)
  const operation = () => {
    const kind = text("kind") as OperationKind | null
    if (config === null || wallet === null || kind === null) return null
    const from = text("from_pubkey")
    const [done, verb] = verbs[kind]
    const parties = from === null ? `${kind === "mint" ? "to" : "of"} ${who}` : `from ${personOf(from)} to ${who}`
    const words = `${type === "operation.failed" ? `Could not ${verb}` : done} ${amountOf()} ${parties}`
    return about(text("operation_id"), words, "tokens", config, "operations")
  }
  return (
    about(text("approval_id"), request(), "approvals") ??
    about(text("review_id"), who, "reviews") ??
    about(text("distribution_id"), tokenName, "distributions") ??
    hold() ??
    inToken(text("snapshot_id"), tokenName) ??
    operation() ??
    about(text("attestation_id"), who, "attestations") ??
    (config === null ? null : { words: who ?? tokenName ?? config, id: config, parts: ["tokens", config] }) ??
    about(text("recovery_id"), who, "recoveries") ??
    about(text("investor_id"), who, "investors") ??
    (type === "quota.threshold"
      ? { words: `${of.used} of ${of.included}, ${of.percent}% used`, id: null, parts: ["overview"] }
      : { words: wallet ?? type, id: null, parts: null })
  )
}

const verbs: Record<OperationKind, [done: string, verb: string]> = {
  mint: ["Minted", "mint"],
  transfer: ["Moved", "move"],
  burn: ["Redeemed", "redeem"],
  force_transfer: ["Forcibly moved", "forcibly move"],
  hold: ["Held", "hold"],
  release: ["Released", "release"],
}
