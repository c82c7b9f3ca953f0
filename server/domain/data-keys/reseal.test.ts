import { randomBytes } from "node:crypto"
import { getTableColumns, getTableName, is } from "drizzle-orm"
import { PgTable } from "drizzle-orm/pg-core"
import { TOTP } from "otpauth"
import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import * as schema from "#db/schema/index.ts"
import { openClaims } from "#server/domain/attestations/claims.ts"
import { resealAll, sealedColumns } from "#server/domain/data-keys/reseal.ts"
import { deployment, setDeployment } from "#server/domain/deployment/deployment.ts"
import { seal, unseal } from "#server/domain/deployment/sealed.ts"
import { linkOwner } from "#server/domain/kyc/hosted-page/continue.ts"
import { reminderOwner } from "#server/domain/kyc/renewal/email.ts"
import { referenceOwner } from "#server/domain/privacy/vendor-redactions.ts"
import { claimsOwner, entryOwner, reasonOwner } from "#server/domain/reviews/owners.ts"
import { secretOwner } from "#server/domain/webhooks/secrets.ts"
import { newId } from "#server/lib/ids.ts"
import { Browser, member, PASSWORD } from "#test/fixtures/people.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"

// Replaces the data key while the server runs, following docs/operations.md.

const next = randomBytes(32)
let old: Buffer

usesCustomer({ key: { plan: "growth" } })
beforeAll(async () => {
  old = deployment.dataKeys[0]!
})

/** As if the server had restarted with other keys. */
const startWith = (...dataKeys: Buffer[]) => setDeployment({ ...deployment, dataKeys })
const reseal = () => resealAll(() => {})
const claimsOf = async () => {
  const rows = await sql<{ id: string; claims: Buffer }[]>`
    select id, claims from attestations where workspace_id = ${key.workspaceId} and claims is not null order by id`
  return rows.map(({ id, claims }) => openClaims(id, claims))
}

async function memberWithFactor() {
  const { browser, email } = await member(app)
  const { json } = await browser.auth("/two-factor/enable", { password: PASSWORD })
  const totp = new TOTP({ secret: new URL(json.totpURI).searchParams.get("secret")!, period: 30, digits: 6 })
  const code = totp.generate({ timestamp: Date.now() - 30_000 })
  expect((await browser.auth("/two-factor/verify-totp", { code })).status).toBe(200)
  return { email, backupCodes: json.backupCodes as string[] }
}

/** Signs in with a backup code, each of which works once. */
async function signsIn({ email, backupCodes }: { email: string; backupCodes: string[] }): Promise<void> {
  const browser = new Browser(app)
  expect((await browser.signIn(email)).json).toMatchObject({ twoFactorRedirect: true })
  const { status } = await browser.auth("/two-factor/verify-backup-code", { code: backupCodes.pop()! })
  expect(status).toBe(200)
}

test("a data key is replaced step by step, and everything opens at each step", async () => {
  const { wallet } = await app.verifiedWallet(key, undefined, { country: "US" })
  await app.verifiedWallet(key, undefined, { country: "CA" })
  const person = await memberWithFactor()
  const before = await claimsOf()
  expect(before).toHaveLength(2)

  const note = newId("note")
  await sql`
    insert into investor_notes (workspace_id, id, investor_id, body, author_id, author_name, created_at)
    select workspace_id, ${note}, id, ${seal(note, "Called back.")}, 'x', 'x', now() from investors
    where workspace_id = ${key.workspaceId} limit 1`

  startWith(old, next)
  await signsIn(person)
  expect(await reseal()).toBe(0)

  startWith(next, old)
  await signsIn(person)
  await app.verifiedWallet(key, undefined, { country: "DE" })
  const later = await memberWithFactor()
  const all = await claimsOf()
  expect(all).toHaveLength(3)
  expect(await reseal()).toBe(4)
  expect(await reseal()).toBe(0)

  startWith(next)
  expect(await claimsOf()).toEqual(all)
  const [noted] = await sql<{ body: Buffer }[]>`select body from investor_notes where id = ${note}`
  expect(unseal(note, noted!.body)).toBe("Called back.")
  await signsIn(person)
  await signsIn(later)
  const tokens = tokenFixture(app, key)
  const config = await tokens.config({ allowed_countries: ["US"] })
  expect((await tokens.mint(config, wallet, "1")).status).toBe(200)
})

type Sealed = (typeof sealedColumns)[number]
/** Such as `reviews.reason`. */
type ColumnName = {
  [Table in Sealed["table"]]: `${Table}.${Extract<Sealed, { table: Table }>["column"]}`
}[Sealed["table"]]

/** Bytes that are not sealed, because they reveal nothing about anyone. */
const plain = [
  "accounts.logo",
  "accounts.logo_hash",
  "audit_anchors.hash",
  "audit_links.hash",
  "idempotency_records.body",
  "idempotency_records.fingerprint",
  "invitations.proof_hash",
  "invitations.token_hash",
  "key_secrets.hash",
  "screening_list_parts.keys",
  "transactions.wire",
  "user_links.token_hash",
]

test("every column of bytes is sealed again, or known to be unsealed", () => {
  const inSchema = Object.values<unknown>(schema)
    .filter((table): table is PgTable => is(table, PgTable))
    .flatMap((table) =>
      Object.values(getTableColumns(table))
        .filter((column) => column.getSQLType() === "bytea")
        .map(({ name }) => `${getTableName(table)}.${name}`),
    )
  const sealed = sealedColumns.map(({ table, column }) => `${table}.${column}`)
  expect(new Set(sealed).size).toBe(sealed.length)
  expect([...sealed, ...plain].sort()).toEqual(inSchema.sort())
})

/** A row in each table with sealed columns: its key, and the owner that they are bound to. */
async function insertRowOfEach() {
  const { workspaceId } = key
  const { wallet, status } = await app.verifiedWallet(key)
  const attestationId: string = status.attestation_id
  const { sessionId } = await app.startSession(key)
  const [pending] = await sql<{ id: string; investor_id: string }[]>`
    select id, investor_id from attestations where session_id = ${sessionId}`
  const { id: open, investor_id: investorId } = pending!
  const [submission, review, note, erasure, redaction] = [
    newId("evt"),
    newId("rev"),
    newId("note"),
    newId("era"),
    newId("red"),
  ]
  const nothing = Buffer.alloc(0)
  await sql`
    insert into sandbox_submissions (workspace_id, attestation_id, event_id, decision, occurred_at, next_attempt_at)
    values (${workspaceId}, ${open}, ${submission}, 'approved', now(), now() + interval '1 day')`
  await sql`
    insert into reviews (workspace_id, id, kind, subject, attestation_id, opened_at, found_at)
    values (${workspaceId}, ${review}, 'vendor', ${open}, ${open}, now(), now())`
  const [entry] = await sql<{ seq: bigint }[]>`
    insert into review_entries (workspace_id, review_id, at, author_id, author_name)
    values (${workspaceId}, ${review}, now(), 'x', 'x') returning seq`
  await sql`
    insert into investor_notes (workspace_id, id, investor_id, body, author_id, author_name, created_at)
    values (${workspaceId}, ${note}, ${investorId}, ${nothing}, 'x', 'x', now())`
  await sql`
    insert into erasures (workspace_id, id, investor_id, wallets, attestations, revoked, erased_at)
    values (${workspaceId}, ${erasure}, ${investorId}, '{}', 0, 0, now())`
  await sql`
    insert into vendor_redactions (workspace_id, id, erasure_id, provider, status, next_attempt_at)
    values (${workspaceId}, ${redaction}, ${erasure}, 'sandbox', 'not_supported', now())`
  const endpoint = newId("whe")
  await sql`
    insert into webhook_endpoints (workspace_id, id, url, secret, cursor, created_at)
    values (${workspaceId}, ${endpoint}, ${`https://example.com/${endpoint}`}, ${nothing}, 0, now())`
  const rows: Record<Sealed["table"], string> = {
    attestations: attestationId,
    sandbox_submissions: submission,
    reviews: review,
    review_entries: String(entry!.seq),
    investor_notes: note,
    vendor_redactions: redaction,
    webhook_endpoints: endpoint,
  }
  const owners: Record<ColumnName, string> = {
    "attestations.claims": attestationId,
    "attestations.provider_link": linkOwner({ id: attestationId }),
    "attestations.reminder_email": reminderOwner(wallet),
    "sandbox_submissions.claims": open,
    "reviews.claims": claimsOwner(review),
    "reviews.approved_claims": claimsOwner(review),
    "reviews.reason": reasonOwner(review),
    "review_entries.text": entryOwner(review),
    "investor_notes.body": note,
    "vendor_redactions.reference": referenceOwner({ id: redaction }),
    "webhook_endpoints.secret": secretOwner(endpoint),
    "webhook_endpoints.previous_secret": secretOwner(endpoint),
  }
  return sealedColumns.map(({ table, column, id }) => ({
    table,
    column,
    id,
    row: rows[table],
    owner: owners[`${table}.${column}` as ColumnName],
  }))
}

test("each sealed column opens with the new key alone, for the same owner", async () => {
  const before = deployment.dataKeys[0]!
  const after = randomBytes(32)
  const cells = await insertRowOfEach()
  const textOf = ({ table, column }: (typeof cells)[number]) =>
    column.endsWith("claims") ? `{"country":"DE"}` : `what is in ${table}.${column}`
  for (const cell of cells) {
    const { table, column, id, row, owner } = cell
    const { count } = await sql`
      update ${sql(table)} set ${sql(column)} = ${seal(owner, textOf(cell))}
      where workspace_id = ${key.workspaceId} and ${sql(id)}::text = ${row}`
    expect([table, column, count]).toEqual([table, column, 1])
  }
  startWith(after, before)
  expect(await reseal()).toBeGreaterThanOrEqual(cells.length)
  expect(await reseal()).toBe(0)
  startWith(after)
  for (const cell of cells) {
    const { table, column, id, row, owner } = cell
    const [kept] = await sql<{ sealed: Buffer }[]>`
      select ${sql(column)} as sealed from ${sql(table)}
      where workspace_id = ${key.workspaceId} and ${sql(id)}::text = ${row}`
    expect([table, column, unseal(owner, kept!.sealed)]).toEqual([table, column, textOf(cell)])
  }
})

test("without the old key, nothing that it sealed opens or changes", async () => {
  const sealed = await sql`select id, claims from attestations order by id`
  const { dataKeys } = deployment
  startWith(randomBytes(32))
  await expect(reseal()).rejects.toThrow()
  expect(await sql`select id, claims from attestations order by id`).toEqual(sealed)
  startWith(...dataKeys)
})
