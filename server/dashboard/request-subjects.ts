import { sql } from "#db/client.ts"
import { timestamped } from "#db/rows.ts"
import { readClaims } from "#domain/attestations"
import type { Caller, Principal } from "#domain/requests"
import { ADDRESS, type Address } from "#shared/address.ts"
import type { RulesJson } from "#shared/rules/fields.ts"
import { ruleOf } from "#shared/rules/rules.ts"

/** What a logged request says. */
type Logged = { path: string; request_body: string | null; error_code: string | null; at: Date }

/** The most wallets of a request to look up. */
const MOST = 10

/** What a wallet is to the request, by the name of the field that has it. */
const roles: Record<string, string> = {
  user_pubkey: "Wallet",
  userPubkey: "Wallet",
  pubkey: "Wallet",
  wallet: "Wallet",
  from_pubkey: "From",
  to_pubkey: "To",
  lost_wallet: "Lost wallet",
  new_wallet: "New wallet",
}

/** A body may be cut off, so that it is no JSON: its fields are found in the text. */
const FIELD = /"(\w+)":"([^"\\]{1,100})"/g
/** Paths with a wallet, and with a token. */
const WALLET_IN_PATH = /^\/(?:kyc\/status|token\/balance|token\/lots)\/(\w+)/
const TOKEN_IN_PATH = /^\/(?:mint-config|token\/register)\/(\w+)/

/** The wallets and the token that a request names, each wallet once, in their order. */
export function namedIn({ path, request_body }: Pick<Logged, "path" | "request_body">): {
  wallets: { role: string; wallet: Address }[]
  token: string | null
} {
  const query = new URLSearchParams(path.split("?", 2)[1] ?? "")
  const fields: [string, string][] = [...query, ...[...(request_body ?? "").matchAll(FIELD)].map(toField)]
  const inPath = WALLET_IN_PATH.exec(path)?.[1]
  if (inPath !== undefined) fields.unshift(["wallet", inPath])
  const wallets = new Map<string, string>()
  for (const [name, value] of fields)
    if (roles[name] !== undefined && ADDRESS.test(value) && !wallets.has(value)) wallets.set(value, roles[name])
  return {
    wallets: [...wallets].slice(0, MOST).map(([wallet, role]) => ({ role, wallet: wallet as Address })),
    token: TOKEN_IN_PATH.exec(path)?.[1] ?? fields.find(([name]) => name === "mint_config")?.[1] ?? null,
  }
}

const toField = ([, name, value]: RegExpExecArray): [string, string] => [name!, value!]

/** What several requests are about: the investor of each one's first wallet, and its token. */
export async function aboutEach(
  { workspaceId, scopes }: Principal,
  requests: readonly Pick<Logged, "path" | "request_body">[],
) {
  const named = requests.map(namedIn)
  const configs = named.flatMap(({ token }) => token ?? [])
  const [owners, tokens] = await Promise.all([
    scopes.has("kyc:read")
      ? ownersOf(
          workspaceId,
          named.flatMap(({ wallets: [first] }) => first?.wallet ?? []),
        )
      : null,
    configs.length === 0 || !scopes.has("token:read")
      ? []
      : sql<Pick<Token, "id" | "name">[]>`
          select id, name from mint_configs where workspace_id = ${workspaceId} and id = any(${configs})`,
  ])
  return named.map(({ wallets: [first], token }) => ({
    investor: (first && owners?.get(first.wallet)) ?? null,
    token: tokens.find(({ id }) => id === token) ?? null,
  }))
}

type Investor = { investor_id: string; external_id: string | null }

/** The investors of wallets. A wallet without one is left out. */
async function ownersOf(workspaceId: string, wallets: readonly Address[]): Promise<ReadonlyMap<Address, Investor>> {
  if (wallets.length === 0) return new Map()
  const rows = await sql<Person[]>`
    select w.wallet, n.id as investor_id, n.external_id
    from unnest(${[...new Set(wallets)]}::text[]) as w(wallet)
      cross join lateral wallet_owner(${workspaceId}, w.wallet) o
      join investors i on i.workspace_id = ${workspaceId} and i.id = o.investor_id
      join investors n on n.workspace_id = i.workspace_id and n.id = coalesce(i.merged_into, i.id)`
  return new Map(rows.map(({ wallet, ...investor }) => [wallet, investor]))
}

type Person = Investor & { wallet: Address }
type Token = { id: string; name: string; rules: RulesJson }

/** What a request is about: the investors behind its wallets, and its token with the rules that are set now. */
export async function subjectsOf({ workspaceId, scopes }: Principal, logged: Logged) {
  const { wallets, token: config } = namedIn(logged)
  const [owners, [token]] = await Promise.all([
    scopes.has("kyc:read")
      ? ownersOf(
          workspaceId,
          wallets.map(({ wallet }) => wallet),
        )
      : null,
    config === null || !scopes.has("token:read")
      ? []
      : sql<Token[]>`select id, name, rules from mint_configs where workspace_id = ${workspaceId} and id = ${config}`,
  ])
  return {
    wallets: wallets.map((one) => ({ ...one, investor: owners?.get(one.wallet) ?? null })),
    token: token ?? null,
    /** Whether claims decided, which the log does not keep. */
    claims_decided: ruleOf(logged.error_code ?? "")?.readsClaims === true && token !== undefined && wallets.length > 0,
  }
}

/**
 * The claims that a rule refused a request for: those of the verification that each of its wallets had at that time. The
 * log does not keep them; they are read where they are stored, and the audit log records each attestation that is read.
 * None if claims did not decide. Errors: insufficient_scope.
 */
export async function viewRefusedClaims(caller: Caller, logged: Logged) {
  const { workspaceId } = caller.principal
  const { wallets, token } = namedIn(logged)
  if (ruleOf(logged.error_code ?? "")?.readsClaims !== true || token === null) return { data: [] }
  type Row = { attestation_id: string; user_pubkey: Address; schema: string; approved_at: Date }
  const rows = await sql<Row[]>`
    select a.id as attestation_id, a.wallet as user_pubkey, a.schema_id as schema,
      coalesce(a.issued_at, a.verified_at) as approved_at
    from mint_configs c
      cross join unnest(${wallets.map(({ wallet }) => wallet)}::text[]) with ordinality as w(wallet, place)
      cross join lateral (
        select * from attestations
        where workspace_id = ${workspaceId} and wallet = w.wallet and schema_id = c.required_schema
          and verified_at <= ${logged.at} and claims is not null
        order by seq desc limit 1) a
    where c.workspace_id = ${workspaceId} and c.id = ${token} order by w.place`
  const known = await readClaims(
    caller,
    rows.map((row) => row.attestation_id),
  )
  return {
    data: rows.flatMap((row) => {
      const claims = known.get(row.attestation_id)
      return claims ? [{ ...timestamped(row), claims }] : []
    }),
  }
}
