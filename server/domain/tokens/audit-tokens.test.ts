import {
  AuthorityType,
  createBurnCheckedInstruction,
  createFreezeAccountInstruction,
  createMintToCheckedInstruction,
  createPermissionedBurnCheckedInstruction,
  createSetAuthorityInstruction,
  createThawAccountInstruction,
  createTransferCheckedInstruction,
  TOKEN_2022_PROGRAM_ID,
} from "@solana/spl-token"
import { Keypair, LAMPORTS_PER_SOL, PublicKey, type TransactionInstruction } from "@solana/web3.js"
import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { auditLedger } from "#server/domain/audits/audit-ledger.ts"
import { chainOf, deployment } from "#server/domain/deployment/deployment.ts"
import { assetMintOf } from "#server/domain/token-accounts/asset-accounts.ts"
import { addressOf, tokenAccountOf } from "#server/solana/addresses.ts"
import { authorityPurpose, signerFromSeed } from "#server/solana/keys.ts"
import { signTransactions } from "#server/solana/transaction.ts"
import type { Address } from "#shared/address.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"

const FUND = "us_real_estate_fund_v1"
const OPEN = "open_fund"
const DECIMALS = 6
const program = TOKEN_2022_PROGRAM_ID

/** Both hold 10 of the fund, the second through a transfer. Each also has 10 of the other token. */
const holders = [Keypair.generate(), Keypair.generate()] as const
const [first, second] = holders.map((holder) => addressOf(holder.publicKey)) as [Address, Address]

usesCustomer()
beforeAll(async () => {
  for (const wallet of [first, second]) await app.verifiedWallet(key, wallet)
  // Holders can burn tokens of a mint of version 0.1.0, which does not have PermissionedBurn.
  await tokens.olderConfig(["pausable"], { id: OPEN, decimals: DECIMALS, transfer_mode: "holder" })
  await post("/token/mint", { user_pubkey: first, mint_config: FUND, amount: "20" })
  await post("/token/transfer", { from_pubkey: first, to_pubkey: second, mint_config: FUND, amount: "10" })
  for (const wallet of [first, second]) {
    await post("/token/mint", { user_pubkey: wallet, mint_config: OPEN, amount: "10" })
  }
})

async function post(path: string, json: object) {
  const answer = await app.request({ method: "POST", path, key: key.apiKey, json })
  expect(answer.status, answer.text).toBe(200)
}

const audit = () => auditLedger({ account: null, progress: () => {} })
const differences = async () =>
  (await audit()).differences.map(({ kind, detail }) => `${kind}: ${detail.replace(/^ws\S+: /, "")}`)

/** Signs as the workspace's authority, without the ledger. */
async function actOutside(...instructions: TransactionInstruction[]) {
  await send(instructions, [deployment.keys(authorityPurpose(key.workspaceId))])
}

async function send(instructions: TransactionInstruction[], signers: ReturnType<typeof signerFromSeed>[]) {
  const { feePayer } = chainOf("test")
  const { blockhash } = await app.connection.getLatestBlockhash("confirmed")
  const [signed] = await signTransactions([{ instructions, signers }], { feePayer, blockhash })
  const { signature, wire } = signed!
  await app.connection.sendRawTransaction(wire)
  await waitFor(async () => {
    const { value } = await app.connection.getSignatureStatus(signature)
    return value !== null && value.confirmationStatus !== "processed"
  }, "a transaction to be confirmed")
}

const place = (config: string, wallet: string) => {
  const mint = assetMintOf(key.workspaceId, config)
  return { mint, account: tokenAccountOf(mint, new PublicKey(wallet)) }
}
const authority = () => deployment.keys(authorityPurpose(key.workspaceId)).publicKey

const thaw = (config: string, wallet: string) => {
  const { mint, account } = place(config, wallet)
  return createThawAccountInstruction(account, mint, authority(), [], program)
}
const freeze = (config: string, wallet: string) => {
  const { mint, account } = place(config, wallet)
  return createFreezeAccountInstruction(account, mint, authority(), [], program)
}
const mintTo = (config: string, wallet: string, amount: bigint) => {
  const { mint, account } = place(config, wallet)
  return createMintToCheckedInstruction(mint, account, authority(), amount, DECIMALS, [], program)
}
const burnFrom = (config: string, wallet: string, amount: bigint, owner = authority()) => {
  const { mint, account } = place(config, wallet)
  return createBurnCheckedInstruction(account, mint, owner, amount, DECIMALS, [], program)
}
const moveFrom = (config: string, from: string, to: string, amount: bigint, owner = authority()) => {
  const { mint, account } = place(config, from)
  const target = place(config, to).account
  return createTransferCheckedInstruction(account, mint, target, owner, amount, DECIMALS, [], program)
}
const inFund = (...instructions: TransactionInstruction[]) => [
  thaw(FUND, first),
  thaw(FUND, second),
  ...instructions,
  freeze(FUND, first),
  freeze(FUND, second),
]

test("the audit finds what the operations made, and no differences", async () => {
  const { checked, differences, information } = await audit()
  expect(differences).toEqual([])
  expect(information).toEqual([])
  expect(checked).toMatchObject({ mint_configs: 2, holdings: 4 })
})

// Each changes one number and then changes it back.
test.each([
  ["the supply", "mint_configs", "supply = supply - 1", "supply = supply + 1", "token_supply"],
  ["the issued amount", "mint_configs", "issued = issued + 1", "issued = issued - 1", "token_issued"],
  ["the holders", "mint_configs", "holders = holders + 1", "holders = holders - 1", "token_holders"],
  ["a wallet's balance", "holdings", "balance = balance + 1", "balance = balance - 1", "token_holding"],
  ["a wallet's balance", "holdings", "balance = balance + 1", "balance = balance - 1", "asset_balance"],
  ["the incoming amount", "holdings", "incoming = incoming + 1", "incoming = incoming - 1", "token_holding"],
  ["the outgoing amount", "holdings", "outgoing = outgoing + 1", "outgoing = outgoing - 1", "token_holding"],
  ["the held amount", "holdings", "held = held + 1", "held = held - 1", "token_held"],
  ["the holder slot", "holdings", "counted = false", "counted = true", "token_holders"],
  ["the decimals", "mint_configs", "decimals = 5", "decimals = 6", "asset_mint_differs"],
  ["the mint", "mint_configs", "mint = id", `mint = '%mint%'`, "asset_mint_differs"],
])("an audit finds that %s in the books is wrong: %s, %s", async (_what, tableName, change, undo, kind) => {
  const id = tableName === "holdings" ? "mint_config" : "id"
  const one = tableName === "holdings" ? `and wallet = '${first}'` : ""
  const mint = place(FUND, first).mint.toBase58()
  const set = (values: string) =>
    sql.unsafe(
      `update ${tableName} set ${values.replace("%mint%", mint)} where ${id} = '${FUND}' and workspace_id = '${key.workspaceId}' ${one}`,
    )
  await set(change)
  const found = await differences()
  await set(undo)
  expect(found.filter((one) => one.startsWith(`${kind}: `))).toHaveLength(1)
  expect(await differences()).toEqual([])
})

test("an audit finds that a recorded mint is not on chain", async () => {
  await sql`
    insert into mint_configs (workspace_id, id, name, symbol, decimals, required_schema, transfer_mode, rules, mint,
      minted_at, created_at)
    values (${key.workspaceId}, 'gone', 'Gone', 'GONE', 0, 'kyc_individual_v1', 'agent', '{}', 'gone', now(), now())`
  const found = await differences()
  await sql`delete from mint_configs where id = 'gone'`
  expect(found).toEqual([expect.stringMatching(/^asset_mint_missing: .* of gone is not on chain/)])
})

test("operations in progress are compared with the ledger's rows, and not with the chain", async () => {
  await sql`
    insert into operations (workspace_id, id, kind, status, payload, writes, reads, mint_config, wallet, created_at,
      not_before)
    values (${key.workspaceId}, 'op_later', 'mint', 'queued', '{"amount": "5"}', '{}', '{}', ${FUND}, ${first}, now(),
      now() + interval '1 hour')`
  await sql`update holdings set balance = balance + 1 where mint_config = ${FUND} and wallet = ${first}`
  const { differences: found, information } = await audit()
  await sql`delete from operations where id = 'op_later'`
  await sql`update holdings set balance = balance - 1 where mint_config = ${FUND} and wallet = ${first}`
  expect(found.map((one) => one.kind).sort()).toEqual(["token_holding", "token_holding", "token_issued"])
  expect(information.join("\n")).toContain("1 accounts of us_real_estate_fund_v1 have operations in progress")
  expect(information.join("\n")).toContain("were in progress")
})

/** Only in tokens: what the authority signed outside the ledger stays a difference. */
const ofAssets = async () => (await differences()).filter((one) => /^(asset|token)_/.test(one))

test("an audit finds units that the authority minted, burned or moved outside the ledger", async () => {
  await actOutside(...inFund(mintTo(FUND, first, 7n)))
  expect(await ofAssets()).toEqual([
    `asset_balance: the ${FUND} account of ${first} has 10000007 base units, but the ledger gave it 10000000`,
    `asset_supply: 20000007 base units of ${FUND} exist on chain, but 20000000 are counted`,
  ])
  expect((await differences()).some((one) => one.startsWith("foreign_transaction: "))).toBe(true)
  await actOutside(...inFund(burnFrom(FUND, first, 8n)))
  expect(await ofAssets()).toContainEqual(expect.stringMatching(/^asset_supply: 19999999 /))
  await actOutside(...inFund(mintTo(FUND, first, 1n)))
  expect(await ofAssets()).toEqual([])

  await actOutside(...inFund(moveFrom(FUND, first, second, 3n)))
  expect((await ofAssets()).map((one) => one.split(":")[0])).toEqual(["asset_balance", "asset_balance"])
  await actOutside(...inFund(moveFrom(FUND, second, first, 3n)))
  expect(await ofAssets()).toEqual([])
})

test("an audit finds a balance that its postings do not add up to", async () => {
  const change = (by: number) => sql`
    update holdings set balance = balance + ${by}, posted = posted + ${by} where mint_config = ${FUND} and wallet = ${first}`
  await change(1)
  const found = await ofAssets()
  await change(-1)
  expect(found).toContain(
    `token_posting: ${first} is recorded with 10000001 base units of ${FUND}, but its postings have 10000000`,
  )
  expect(await ofAssets()).toEqual([])
})

test("an audit finds units in an account that the ledger does not know", async () => {
  const stranger = Keypair.generate().publicKey.toBase58()
  await sql`update holdings set wallet = ${stranger} where mint_config = ${FUND} and wallet = ${second}`
  const found = await ofAssets()
  await sql`update holdings set wallet = ${second} where mint_config = ${FUND} and wallet = ${stranger}`
  expect(found).toContain(
    `asset_elsewhere: 20000000 base units of ${FUND} exist on chain, but the known wallets hold 10000000`,
  )
  expect(await ofAssets()).toEqual([])
})

test("an audit finds an open account in agent mode", async () => {
  await actOutside(thaw(FUND, second))
  expect(await ofAssets()).toEqual([
    `asset_not_frozen: the ${FUND} account of ${second} is not frozen, but accounts stay frozen`,
  ])
  await actOutside(freeze(FUND, second))
  expect(await ofAssets()).toEqual([])
})

test("in holder mode, an audit finds the open account of a wallet that may not hold", async () => {
  await sql`update mint_configs set rules = '{"require_accredited": true}' where id = ${OPEN}`
  const found = await ofAssets()
  await sql`update mint_configs set rules = '{}' where id = ${OPEN}`
  expect(found.sort()).toEqual(
    [first, second]
      .sort()
      .map(
        (wallet) =>
          `asset_not_frozen: the ${OPEN} account of ${wallet} is not frozen, but its wallet may not hold (not_accredited)`,
      ),
  )

  await sql`update attestations set status = 'expired', ended_at = now() where wallet = ${second}`
  const unverified = await ofAssets()
  await actOutside(freeze(OPEN, second))
  const frozen = await ofAssets()
  await actOutside(thaw(OPEN, second))
  await sql`update attestations set status = 'verified', ended_at = null where wallet = ${second}`
  expect(unverified).toEqual([
    `asset_not_frozen: the ${OPEN} account of ${second} is not frozen, but its wallet may not hold (wallet_not_verified)`,
  ])
  expect(frozen).toEqual([])
  expect(await ofAssets()).toEqual([])
})

test("in holder mode, a pause stops holders through the mint, and only the mint is compared", async () => {
  await post(`/mint-config/${OPEN}/pause`, {})
  await waitFor(async () => (await audit()).information.length === 0, "the pause")
  expect(await ofAssets()).toEqual([])
  await sql`update mint_configs set paused = false where id = ${OPEN}`
  expect(await ofAssets()).toEqual([`asset_pause: the mint of ${OPEN} is paused, but its configuration is not`])
  await sql`update mint_configs set paused = true, extensions = '{}' where id = ${OPEN}`
  expect((await ofAssets()).map((one) => one.replace(/^(\w+: ).* (is not frozen)/, "$1$2"))).toEqual([
    expect.stringMatching(/^asset_mint_differs: .* has the extensions pausable, but none are recorded$/),
    "asset_not_frozen: is not frozen, but its configuration is paused",
    "asset_not_frozen: is not frozen, but its configuration is paused",
  ])
  await sql`update mint_configs set extensions = null where id = ${OPEN}`
  await post(`/mint-config/${OPEN}/unpause`, {})
  await waitFor(async () => (await ofAssets()).length === 0, "the pause's end")
})

test("when holder mode ends, the books read back from the chain are right", async () => {
  const other = { id: "once_open", name: "Once open", symbol: "ONCE", decimals: 0, transfer_mode: "holder" }
  await post("/mint-configs", { ...other, required_schema: "kyc_individual_v1" })
  await post("/token/mint", { user_pubkey: first, mint_config: "once_open", amount: "5" })
  const { mint, account } = place("once_open", first)
  await actOutside(createPermissionedBurnCheckedInstruction(account, mint, authority(), authority(), 2, 0, [], program))
  await sql`update mint_configs set transfer_mode = 'agent', aligned_up_to = '', counted_up_to = '' where id = 'once_open'`
  expect((await audit()).information.join("\n")).toContain("once_open")
  await waitFor(async () => (await audit()).information.length === 0, "the books to be read back")
  expect(await ofAssets()).toEqual([])
  await sql`update mint_configs set supply = 6, issued = 6 where id = 'once_open'`
  expect((await ofAssets()).map((one) => one.split(":")[0])).toEqual(["token_supply", "asset_supply"])
  await sql`update mint_configs set supply = 3, issued = 3 where id = 'once_open'`
})

test("what holders do themselves is reported, but is not a difference", async () => {
  const signer = signerFromSeed(holders[0].secretKey.subarray(0, 32))
  await app.connection.requestAirdrop(signer.publicKey, LAMPORTS_PER_SOL)
  await send([moveFrom(OPEN, first, second, 4n, signer.publicKey)], [signer])
  expect(await ofAssets()).toEqual([])
  await send([burnFrom(OPEN, first, 5n, signer.publicKey)], [signer])
  expect(await ofAssets()).toEqual([])
  expect((await audit()).information.join("\n")).toContain(
    `19999995 base units of ${OPEN} exist on chain, but 20000000 are counted: holders have burned the others`,
  )
  await actOutside(mintTo(OPEN, first, 6n))
  expect(await ofAssets()).toEqual([
    `asset_supply: 20000001 base units of ${OPEN} exist on chain, but 20000000 are counted`,
  ])
  await actOutside(burnFrom(OPEN, first, 6n))
  expect(await ofAssets()).toEqual([])
})

// Last, because an authority that is given away does not come back.
test.each([
  ["mint authority", AuthorityType.MintTokens],
  ["freeze authority", AuthorityType.FreezeAccount],
  ["permanent delegate", AuthorityType.PermanentDelegate],
  ["pause authority", AuthorityType.PausableConfig],
])("an audit finds a %s that is another key", async (power, type) => {
  const stranger = Keypair.generate().publicKey
  const { mint } = place(OPEN, first)
  await actOutside(createSetAuthorityInstruction(mint, authority(), type, stranger, [], program))
  expect(await ofAssets()).toContain(
    `asset_mint_differs: the mint ${mint.toBase58()} of ${OPEN} has ${stranger.toBase58()} as its ${power}, not ${authority().toBase58()}`,
  )
})
