import { type Queryable, sql } from "#db/client.ts"
import { createKey } from "#domain/accounts"
import { deployment } from "#domain/deployment"
import { createInvitation } from "#domain/people"
import { AccountExists, createAccount, findAccount } from "#server/domain/onboarding/create-account.ts"
import { allScopes } from "#shared/scopes.ts"

type FirstKeys = { live: string; test: string }

const ACCOUNT = "My company"
const KEY = "First key"

/** An arbitrary lock number: of the processes that start together, one creates the first keys. */
const FIRST_START_LOCK = 8_246_194

export type FirstStart = {
  /** Null if they already existed. */
  keys: FirstKeys | null
  /** The link for the first owner; null once a user exists. */
  ownerLink: string | null
  /** The account that a command must name: the oldest, if there are several. */
  accountToName: string | null
}

/**
 * On the first start of a deployment: an account with a live and a test key, and a link for its owner. Until one is
 * used, each start creates a new link, since the last one may never have been seen.
 */
export async function firstStart(): Promise<FirstStart> {
  await ensureFirstAccount()
  return sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${FIRST_START_LOCK})`
    const accounts = await tx<{ name: string }[]>`select name from accounts order by created_at, id limit 2`
    return {
      keys: await createFirstKeys(tx),
      ownerLink: await createOwnerLink(tx),
      accountToName: accounts.length > 1 ? accounts[0]!.name : null,
    }
  })
}

/** Creating an account has its own transaction. A process without VOUCH_SIGNER leaves it to a worker. */
async function ensureFirstAccount(): Promise<void> {
  if (!deployment.hasSigner || (await hasFirstKeys(sql)) || (await findAccount(ACCOUNT))) return
  await createAccount({ name: ACCOUNT, plan: "free" }).catch((error) => {
    // Another of the processes that started together was first.
    if (!(error instanceof AccountExists)) throw error
  })
}

async function hasFirstKeys(within: Queryable): Promise<boolean> {
  const [known] = await within<{ exists: boolean }[]>`select exists (select from api_keys where name = ${KEY})`
  return known!.exists
}

async function createOwnerLink(within: Queryable): Promise<string | null> {
  const [someone] = await within`select from users limit 1`
  const [account] = await within<{ id: string }[]>`select id from accounts order by created_at, id limit 1`
  if (someone || !account) return null
  const owner = { accountId: account.id, role: "owner" as const, email: null, invitedBy: null }
  return (await createInvitation(within, owner)).link
}

async function createFirstKeys(within: Queryable): Promise<FirstKeys | null> {
  const account = await findAccount(ACCOUNT, within)
  if (!account || (await hasFirstKeys(within))) return null
  const { workspaces } = account
  // Creates both keys or neither, because only the start that creates them shows them.
  const first = { name: KEY, scopes: allScopes, within }
  const live = await createKey({ ...first, workspaceId: workspaces.live, mode: "live" })
  const test = await createKey({ ...first, workspaceId: workspaces.test, mode: "test" })
  return { live: live.apiKey, test: test.apiKey }
}
