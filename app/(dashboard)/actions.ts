import type { Permission } from "#shared/scopes.ts"

/** Something a member can begin from the search. */
export type Action = {
  name: string
  /** Other words that people type for it. */
  words: string
  /** Null for what every member may do. */
  needs: Permission | null
  /** The page below the workspace, and the end of its address that opens the form. */
  path: string[]
  query?: string
}

export const actions: readonly Action[] = [
  {
    name: "Start session",
    words: "new begin verification verify kyc investor wallet invite link",
    needs: "kyc:write",
    path: ["sessions"],
    query: "?form=start",
  },
  {
    name: "Revoke a verification",
    words: "revoke attestation withdraw end cancel credential burn",
    needs: "attestation:write",
    path: ["attestations"],
    query: "?status=verified",
  },
  {
    name: "Create token",
    words: "new add issue asset share fund configuration",
    needs: "config:write",
    path: ["tokens", "new-token"],
  },
  {
    name: "Create distribution",
    words: "new dividend coupon interest pay payout stablecoin",
    needs: "distribution:write",
    path: ["distributions", "new"],
  },
  {
    name: "Create API key",
    words: "new add secret token credentials access",
    needs: "key:write",
    path: ["keys"],
    query: "?form=create",
  },
  {
    name: "Revoke or rotate an API key",
    words: "delete replace renew secret token credentials access",
    needs: "key:write",
    path: ["keys"],
  },
  {
    name: "Add webhook endpoint",
    words: "new create events url callback hook",
    needs: "webhooks:write",
    path: ["webhooks"],
    query: "?form=add",
  },
  {
    name: "Replay failed events",
    words: "webhooks deliveries retry resend again",
    needs: "webhooks:write",
    path: ["webhooks"],
  },
  {
    name: "Show refused requests",
    words: "debug errors failed logs 400 403 404 409 422 429",
    needs: null,
    path: ["logs"],
    query: "?status=4xx",
  },
  ...(["investors", "attestations", "audit"] as const).map(
    (list): Action => ({
      name: `Export ${list === "audit" ? "the audit log" : list}`,
      words: "download csv spreadsheet list file save",
      needs: null,
      path: [list],
    }),
  ),
  {
    name: "Invite member",
    words: "new add user colleague person team role",
    needs: "member:write",
    path: ["settings"],
    query: "?form=invite",
  },
]

/** What a member can begin with one token. */
export const actionsWith = ({ id, name, symbol }: { id: string; name: string; symbol: string }): Action[] => [
  {
    name: `Mint ${symbol}`,
    words: `issue create units tokens new ${name} ${id}`,
    needs: "token:mint",
    path: ["tokens", id],
    query: "?form=mint",
  },
  {
    name: `Transfer ${symbol}`,
    words: `send move units tokens ${name} ${id}`,
    needs: "token:transfer",
    path: ["tokens", id],
    query: "?form=transfer",
  },
]

/** What a member can begin with one webhook endpoint. */
export const replayOf = ({ endpoint_id, url }: { endpoint_id: string; url: string }): Action => ({
  name: `Replay failed events of ${url}`,
  words: "webhooks deliveries retry resend send again",
  needs: "webhooks:write",
  path: ["webhooks", endpoint_id],
  query: "?form=replay",
})

type Token = { id: string; symbol: string }
type Person = { name: string; wallet: string; externalId: string | null }

/** The most tokens to offer for a person. */
const OFFERED = 4

/** What a member can begin with one person: a mint to their wallet, or another verification of it. */
export const actionsFor = ({ name, wallet, externalId }: Person, tokens: readonly Token[]): Omit<Action, "words">[] => [
  ...tokens.slice(0, OFFERED).map(({ id, symbol }) => ({
    name: `Mint ${symbol} to ${name}`,
    needs: "token:mint" as const,
    path: ["tokens", id],
    query: `?${new URLSearchParams({ form: "mint", wallet })}`,
  })),
  {
    name: `Start session for ${name}`,
    needs: "kyc:write",
    path: ["sessions"],
    query: `?${new URLSearchParams({ wallet, ...(externalId !== null && { external_id: externalId }) })}`,
  },
]

type Verification = { attestation_id: string; status: string }

/** The revocation of each verification of a person that is not over. `nameOf` names its schema. */
export const revocationsOf = <One extends Verification>(
  person: string,
  verifications: readonly One[],
  nameOf: (verification: One) => string,
): Omit<Action, "words">[] =>
  verifications
    .filter(({ status }) => status === "pending" || status === "verified")
    .map((one) => ({
      name: `Revoke ${nameOf(one)} of ${person}`,
      needs: "attestation:write",
      path: ["attestations", one.attestation_id],
      query: "?form=revoke",
    }))

const VERBS = ["revoke", "mint", "start"] as const

/** The action and the person in a text such as "revoke novak". The verb is null in others. */
export function verbIn(text: string): { verb: (typeof VERBS)[number] | null; rest: string } {
  const [first = "", ...others] = text.trim().split(/\s+/)
  const verb = VERBS.find((one) => one === first.toLowerCase())
  return verb !== undefined && others.length > 0 ? { verb, rest: others.join(" ") } : { verb: null, rest: text.trim() }
}

/** The actions that have every typed word in their name or its synonyms. None before anything is typed. */
export function matchingActions(all: readonly Action[], text: string): Action[] {
  const typed = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (typed.length === 0) return []
  return all.filter(({ name, words }) => {
    const own = `${name} ${words}`.toLowerCase().split(" ")
    return typed.every((word) => own.some((one) => one.startsWith(word)))
  })
}
