import { isDeepStrictEqual } from "node:util"
import {
  AccountState,
  getDefaultAccountState,
  getPausableConfig,
  getPermanentDelegate,
  type Mint,
  TOKEN_2022_PROGRAM_ID,
  unpackMint,
} from "@solana/spl-token"
import type { PublicKey } from "@solana/web3.js"
import { forEachBatch } from "#db/batches.ts"
import { sql } from "#db/client.ts"
import { loadFrozen } from "#domain/screening"
import { assetMintOf } from "#domain/token-accounts"
import { type Audited, type Difference, differs, inform } from "#server/ledger/index.ts"
import { addSeconds, clock, sleep } from "#server/lib/time.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import { extensionDefinitions, extensionsIn, isScaled } from "#server/solana/mint-extensions.ts"
import type { Address } from "#shared/address.ts"
import type { MintExtension } from "#shared/mint-extensions.ts"
import { type AssetAccount, lastLandingOnAccounts, readAccounts } from "./account-states.ts"
import { auditTokenCounters, type Counted, readCounted } from "./audit-counters.ts"
import { type ConfigRow, configColumns, extensionsOf, isBeingReconciled } from "./config.ts"
import { loadStandings } from "./holder-facts.ts"
import { readFollowedSlot } from "./holder-movements/followed.ts"
import { moveAssetAuthority } from "./operations/move-asset-authority.ts"
import { lossOfHolding } from "./operations/reconcile-account.ts"
import { reconcilePause } from "./operations/reconcile-pause.ts"

/** The most accounts that one getMultipleAccounts takes. No workspace has more configurations. */
const ACCOUNTS = 100
/** How long an account may stay open after its wallet loses its verification (docs/architecture.md). */
const GRACE_SECONDS = 5

/**
 * Checks that every configuration's tokens are the result of its operations: the mint is Vouch's, its supply is what
 * was minted, every wallet has the right balance, and no account is open that should be frozen.
 */
export async function auditTokens(audited: Audited): Promise<void> {
  const { workspaceId, chain, report } = audited
  const counted = await readCounted(workspaceId)
  await auditTokenCounters(audited, [...counted.values()])
  const configs = await sql<ConfigRow[]>`
    select ${sql(configColumns)} from mint_configs
    where workspace_id = ${workspaceId} and minted_at is not null order by id`
  const addresses = configs.map((config) => assetMintOf(workspaceId, config.id))
  const { value: infos } = await chain.rpc.patient.accounts(addresses, { since: 0 })
  const { pausing, moving } = await changesInProgress(workspaceId)
  const whole: Whole[] = []
  for (const [i, config] of configs.entries()) {
    report.checked.mint_configs++
    const address = addresses[i]!
    const info = infos[i]
    if (!info?.owner.equals(TOKEN_2022_PROGRAM_ID)) {
      differs(audited, "asset_mint_missing", `the mint ${address.toBase58()} of ${config.id} is not on chain`)
      continue
    }
    const mint = unpackMint(address, info, TOKEN_2022_PROGRAM_ID)
    compareMint(audited, config, { mint, isMoving: moving.has(config.id) })
    if (isBeingReconciled(config)) {
      inform(audited, `accounts of ${config.id} are being updated and were not compared`)
      continue
    }
    comparePause(audited, config, mint, pausing)
    whole.push({ config, supply: mint.supply, ...(await auditAccounts(audited, config)) })
  }
  compareSupplies(audited, whole, { before: counted, after: await readCounted(workspaceId) })
}

/** Only the workspace's authority may mint, freeze or move. */
function compareMint(audited: Audited, config: ConfigRow, { mint, isMoving }: { mint: Mint; isMoving: boolean }): void {
  const authority = publicKeyOf(config.authority!)
  const address = mint.address.toBase58()
  const differ = (detail: string) =>
    differs(audited, "asset_mint_differs", `the mint ${address} of ${config.id} ${detail}`)
  const powers: [string, PublicKey | null | undefined][] = [
    ["mint authority", mint.mintAuthority],
    ["freeze authority", mint.freezeAuthority],
    ["permanent delegate", getPermanentDelegate(mint)?.delegate],
  ]
  const [extensions, recorded] = [extensionsIn(mint), extensionsOf(config)]
  for (const one of extensions) {
    const { power, authorityOf } = extensionDefinitions[one]
    powers.push([power, authorityOf(mint)])
  }
  for (const [power, holder] of powers) {
    if (isMoving || holder?.equals(authority)) continue
    differ(`has ${holder?.toBase58() ?? "no key"} as its ${power}, not ${authority.toBase58()}`)
  }
  if (config.mint !== address) differ(`differs from the recorded ${config.mint}`)
  if (mint.decimals !== config.decimals) differ(`has ${mint.decimals} decimals, not ${config.decimals}`)
  const listed = (names: readonly MintExtension[]) => names.join(", ") || "none"
  if (!isDeepStrictEqual(extensions, recorded))
    differ(`has the extensions ${listed(extensions)}, but ${listed(recorded)} are recorded`)
  if (isScaled(mint)) differ("shows other amounts than it holds")
  if (getDefaultAccountState(mint)?.state !== AccountState.Frozen) differ("creates accounts that are not frozen")
}

/** Configurations whose mints are about to be paused, resumed or moved to another key. */
async function changesInProgress(workspaceId: string): Promise<Record<"pausing" | "moving", Set<string>>> {
  const rows = await sql<{ id: string; kind: string }[]>`
    select mint_config as id, kind from operations
    where workspace_id = ${workspaceId} and kind = any(${[reconcilePause.kind, moveAssetAuthority.kind]})
      and status in ('queued', 'submitted')`
  const of = (wanted: string) => new Set(rows.filter(({ kind }) => kind === wanted).map(({ id }) => id))
  return { pausing: of(reconcilePause.kind), moving: of(moveAssetAuthority.kind) }
}

/** In holder mode, a mint is paused if its configuration is. In agent mode the mint itself need not be paused. */
function comparePause(audited: Audited, config: ConfigRow, mint: Mint, pausing: ReadonlySet<string>): void {
  const pausable = getPausableConfig(mint)
  if (pausable === null || pausable.paused === config.paused || pausing.has(config.id)) return
  if (config.paused && config.transfer_mode === "agent") return
  const [chain, ledger] = pausable.paused ? ["", " not"] : [" not", ""]
  differs(audited, "asset_pause", `the mint of ${config.id} is${chain} paused, but its configuration is${ledger}`)
}

type Expected = {
  wallet: Address
  balance: string
  /** What it moved itself since its balance was last counted, as recorded. */
  moved: string
  /** What its holds have on chain, and every account that one was ever in. */
  held: string
  hold_accounts: Address[]
  busy: boolean
}

/**
 * Checks the account of every wallet that holds tokens or may. Each difference is checked twice, because a change in
 * progress does not show the same difference twice. Returns the sum of all balances.
 */
async function auditAccounts(audited: Audited, config: ConfigRow): Promise<{ held: bigint }> {
  const { workspaceId, report } = audited
  const followed = await Followed.begin(workspaceId, config)
  let held = 0n
  let busy = 0
  await forEachBatch(expected(workspaceId, config, null), ACCOUNTS, async (batch) => {
    const { accounts, slot } = await readAll(audited, config, batch)
    for (const account of accounts) held += account.amount + account.held
    busy += batch.filter((one) => one.busy).length
    report.checked.holdings += batch.length
    const suspects = await compareAccounts(audited, config, followed, { batch, accounts })
    if (suspects.length === 0) return
    // What a holder has just moved is recorded some seconds later.
    if (suspects.some(({ kind }) => kind === BALANCE)) await followed.reach(slot)
    const wallets = suspects.map((one) => one.wallet)
    const again = await expected(workspaceId, config, wallets)
    const { accounts: now } = await readAll(audited, config, again)
    const lasting = await compareAccounts(audited, config, followed, { batch: again, accounts: now })
    const before = new Set(suspects.map((one) => one.detail))
    for (const { kind, detail } of lasting) if (before.has(detail)) report.differences.push({ kind, detail })
  })
  if (!followed.isKnown)
    inform(audited, `it is not known what holders of ${config.id} moved, so their balances were not compared`)
  if (busy > 0) inform(audited, `${busy} accounts of ${config.id} have operations in progress and were not compared`)
  return { held }
}

const BALANCE = "asset_balance"

/** How long to wait until a slot is final and what holders moved up to it is recorded. */
const FOLLOWED_WITHIN_MS = 40_000
const FOLLOWED_PAUSE_MS = 500

/** Whether what holders moved is known, so that their balances can be compared. */
class Followed {
  readonly #workspaceId: string
  readonly #configId: string
  isKnown: boolean

  private constructor(workspaceId: string, configId: string, isKnown: boolean) {
    this.#workspaceId = workspaceId
    this.#configId = configId
    this.isKnown = isKnown
  }

  static async begin(workspaceId: string, config: ConfigRow): Promise<Followed> {
    const isFollowed =
      extensionsOf(config).includes("pausable") && (await readFollowedSlot(workspaceId, config.id)) !== null
    return new Followed(workspaceId, config.id, config.transfer_mode === "agent" || isFollowed)
  }

  /** Waits until what holders moved up to a slot is recorded. If that takes too long, it is no longer known. */
  async reach(slot: number): Promise<void> {
    const until = performance.now() + FOLLOWED_WITHIN_MS
    while (this.isKnown) {
      const followed = await readFollowedSlot(this.#workspaceId, this.#configId)
      if (followed === null || followed >= slot) return
      if (performance.now() > until) this.isKnown = false
      else await sleep(FOLLOWED_PAUSE_MS)
    }
  }
}

/** In holder mode, include wallets that may have received tokens from another holder. */
const expected = (workspaceId: string, config: ConfigRow, wallets: Address[] | null) => sql<Expected[]>`
  with busy as (
    select wallet from operations
    where workspace_id = ${workspaceId} and mint_config = ${config.id} and status in ('queued', 'submitted')
      and wallet is not null
    union
    select from_wallet from operations
    where workspace_id = ${workspaceId} and mint_config = ${config.id} and status in ('queued', 'submitted')
      and from_wallet is not null
  ), known as (
    select wallet from holdings where workspace_id = ${workspaceId} and mint_config = ${config.id}
    union
    select wallet from holder_movements where workspace_id = ${workspaceId} and mint_config = ${config.id}
    union
    select wallet from attestations
    where workspace_id = ${workspaceId} and schema_id = ${config.required_schema} and verified_at is not null
      and ${config.transfer_mode === "holder"}
  )
  select k.wallet, coalesce(h.balance, 0)::text as balance, k.wallet in (select wallet from busy) as busy,
    coalesce(o.held, 0)::text as held, coalesce(o.accounts, '{}') as hold_accounts,
    (select coalesce(sum(delta), 0)::text from holder_movements m
      where m.workspace_id = ${workspaceId} and m.mint_config = ${config.id} and m.wallet = k.wallet) as moved
  from known k left join holdings h
    on h.workspace_id = ${workspaceId} and h.mint_config = ${config.id} and h.wallet = k.wallet
  left join (
    select wallet, sum(remaining + taking) filter (where state = 'active') as held, array_agg(distinct account) as accounts
    from holds where workspace_id = ${workspaceId} and mint_config = ${config.id} and account is not null group by wallet
  ) o on o.wallet = k.wallet
  where ${wallets === null} or k.wallet = any(${wallets ?? []}::text[])`

const readAll = async ({ workspaceId, chain }: Audited, config: ConfigRow, batch: readonly Expected[]) => {
  const keys = batch.map(({ wallet }) => ({ config: config.id, wallet }))
  const since = await lastLandingOnAccounts(sql, workspaceId, keys)
  const holds = batch.flatMap(({ hold_accounts }, i) => hold_accounts.map((account) => ({ ...keys[i]!, account })))
  return readAccounts({ workspaceId, rpc: chain.rpc.patient }, keys, { since }, holds)
}

type Suspect = Difference & { wallet: Address }

async function compareAccounts(
  { workspaceId }: Audited,
  config: ConfigRow,
  { isKnown }: Followed,
  { batch, accounts }: { batch: readonly Expected[]; accounts: readonly AssetAccount[] },
): Promise<Suspect[]> {
  const suspects: Suspect[] = []
  const reasonFor = await reasonsToBeFrozen(workspaceId, config, batch)
  for (const [i, { wallet, balance, moved, held, busy }] of batch.entries()) {
    const { state, amount, held: inHolds, isHoldOpen } = accounts[i]!
    const who = `${workspaceId}: the ${config.id} account of ${wallet}`
    const suspect = (kind: string, detail: string) => suspects.push({ wallet, kind, detail: `${who} ${detail}` })
    if (busy) continue
    const recorded = BigInt(balance) + BigInt(moved)
    if (isKnown && amount + inHolds !== recorded)
      suspect(BALANCE, `has ${amount + inHolds} base units, but the ledger gave it ${recorded}`)
    if (inHolds !== BigInt(held)) suspect("asset_held", `holds ${inHolds} base units back, but its holds have ${held}`)
    if (isHoldOpen) suspect("asset_not_frozen", "has a hold account that is not frozen")
    const reason = reasonFor(wallet)
    if (state === "thawed" && reason !== null) suspect("asset_not_frozen", `is not frozen, but ${reason}`)
  }
  return suspects
}

/** Why a wallet's account must be frozen; null if it may be open. */
async function reasonsToBeFrozen(
  workspaceId: string,
  config: ConfigRow,
  batch: readonly Expected[],
): Promise<(wallet: Address) => string | null> {
  if (config.transfer_mode === "agent") return () => "accounts stay frozen"
  if (config.paused && !extensionsOf(config).includes("pausable")) return () => "its configuration is paused"
  const now = addSeconds(clock.now(), -GRACE_SECONDS)
  const schemaId = config.required_schema
  const wallets = batch.map(({ wallet }) => ({ schemaId, wallet }))
  const standings = await loadStandings(sql, workspaceId, wallets, now)
  const addresses = batch.map(({ wallet }) => wallet)
  const frozen = await loadFrozen(sql, workspaceId, addresses, now)
  return (wallet) => {
    if (frozen.has(wallet)) return "its wallet is on a screening list"
    const violation = lossOfHolding(config, wallet, standings, now)
    return violation === null ? null : `its wallet may not hold (${violation.code})`
  }
}

/** A configuration's supply on chain, and the part that known wallets hold. */
type Whole = { config: ConfigRow; supply: bigint; held: bigint }

/** Checks that no unit was minted outside the ledger, and that none is in an account that the ledger does not know. */
function compareSupplies(
  audited: Audited,
  whole: readonly Whole[],
  counted: { before: Map<string, Counted>; after: Map<string, Counted> },
): void {
  for (const { config, supply, held } of whole) {
    const ledger = counted.before.get(config.id)!
    const later = counted.after.get(config.id)!
    if (ledger.under_way > 0 || ledger.newest !== later.newest) {
      inform(audited, `transfers of ${config.id} were in progress, so its supply was not compared`)
      continue
    }
    const onChain = `${supply} base units of ${config.id} exist on chain`
    const isHolders = config.transfer_mode === "holder"
    const recorded = `but ${ledger.supply} are counted`
    if (isHolders && supply < ledger.supply) inform(audited, `${onChain}, ${recorded}: holders have burned the others`)
    else if (supply !== ledger.supply) differs(audited, "asset_supply", `${onChain}, ${recorded}`)
    const elsewhere = `but the known wallets hold ${held}`
    if (isHolders && held < supply) inform(audited, `${onChain}, ${elsewhere}`)
    else if (held !== supply) differs(audited, "asset_elsewhere", `${onChain}, ${elsewhere}`)
  }
}
