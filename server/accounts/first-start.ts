import { type Queryable, sql } from "#db/client.ts"
import { createKey } from "#server/keys/create.ts"
import { allScopes } from "#server/keys/scopes.ts"
import { createAccount, findAccount } from "./create.ts"

export type FirstKeys = { live: string; test: string }

const ACCOUNT = "My company"
const KEY = "First key"

/** Any number that all processes of Vouch agree on: of those that start together, one makes the first keys. */
const FIRST_START_LOCK = 8_246_194

/** On the first start of a deployment: an account with a live and a test key. Null ever after. */
export const firstStart = (): Promise<FirstKeys | null> =>
  sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${FIRST_START_LOCK})`
    return createFirstKeys(tx)
  })

async function createFirstKeys(within: Queryable): Promise<FirstKeys | null> {
  const [known] = await within<
    { exists: boolean }[]
  >`select exists (select from api_keys where name = ${KEY})`
  if (known?.exists) return null
  const { workspaces } =
    (await findAccount(ACCOUNT)) ?? (await createAccount({ name: ACCOUNT, plan: "free" }))
  // Both or none: the start that makes them is the only one to show them.
  const first = { name: KEY, scopes: allScopes, within }
  const live = await createKey({ ...first, workspaceId: workspaces.live, mode: "live" })
  const test = await createKey({ ...first, workspaceId: workspaces.test, mode: "test" })
  return { live: live.apiKey, test: test.apiKey }
}
