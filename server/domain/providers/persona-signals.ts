import { z } from "zod"
import { isId } from "#server/lib/ids.ts"
import type { ProviderEvent, Signal } from "./provider.ts"

/** Reports of list searches, both one-time and recurring. */
const LISTS = [
  "watchlist",
  "politically-exposed-person",
  "adverse-media",
  "business-watchlist",
  "business-adverse-media",
  "screening",
  "crypto-address-watchlist",
]

/** Events about people whom Persona approved before: https://docs.withpersona.com/events. */
const signalOfEvent: Record<string, Signal> = {
  ...Object.fromEntries(LISTS.map((list) => [`report/${list}.matched`, "watchlist_match"])),
  "case.created": "case_opened",
  "case.reopened": "case_opened",
  "account.archived": "person_deactivated",
  "account.redacted": "data_deleted",
}

/** The events to subscribe to. */
export const signals = Object.keys(signalOfEvent)

export const signalOf = (event: string): Signal | null =>
  Object.hasOwn(signalOfEvent, event) ? signalOfEvent[event]! : null

const id = z.string().regex(/^[\w-]{1,200}$/)
const one = z
  .object({ data: z.object({ id }).nullish() })
  .nullish()
  .catch(null)
const several = z
  .object({ data: z.array(z.object({ id })).max(100).nullish() })
  .nullish()
  .catch(null)
/** An event's subject and its relations: a report belongs to one inquiry and account, a case to several. */
export const subject = z.object({
  type: z.string(),
  id,
  attributes: z.object({ "reference-id": z.string().nullish() }).nullish().catch(null),
  relationships: z.object({ account: one, accounts: several, inquiry: one, inquiries: several }).nullish().catch(null),
})

/** The person or inquiries of a report, a case or an account. An account is a person, with all their inquiries. */
export function aboutOf(data: z.infer<typeof subject>): ProviderEvent["about"] | null {
  const { type, id, attributes, relationships } = data
  const person = attributes?.["reference-id"]
  if (type === "account") return person && isId("inv", person) ? { investorId: person } : { subject: id }
  const { account, accounts, inquiry, inquiries } = relationships ?? {}
  const owners = [account?.data, ...(accounts?.data ?? [])].flatMap((owner) => owner?.id ?? [])
  if (owners.length > 0) return { subject: owners.join(",") }
  const references = [inquiry?.data, ...(inquiries?.data ?? [])].flatMap((reference) => reference?.id ?? [])
  return references.length > 0 ? { references } : null
}
