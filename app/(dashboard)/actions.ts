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
  /** The list to download, instead of opening the page. */
  exports?: string
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
    name: "Revoke an API key",
    words: "delete secret token credentials access",
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
    name: "Show refused requests",
    words: "debug errors failed logs",
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
      exports: list,
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

/** What a member can begin with one API key. */
export const rotationOf = ({ key_id, name }: { key_id: string; name: string }): Action => ({
  name: `Rotate ${name}`,
  words: "api key replace renew secret token credentials access",
  needs: "key:write",
  path: ["keys"],
  query: `?${new URLSearchParams({ form: "rotate", key: key_id })}`,
})

/** The requests that were answered with a status code from 400 to 599, if the text is one. */
export const requestsOf = (text: string): Action[] =>
  /^[45]\d\d$/.test(text)
    ? [{ name: `Show requests answered ${text}`, words: text, needs: null, path: ["logs"], query: `?status=${text}` }]
    : []

/** What a member can begin with one webhook endpoint, which has failed events. */
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
