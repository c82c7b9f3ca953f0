import { createHash, hkdfSync } from "node:crypto"
import type { Sql } from "#db/client.ts"

/**
 * The secret with which better-auth signs cookies and seals second factors, derived from a data key, and its version
 * number in sealed values. Both are the same in every process.
 */
function secretOf(dataKey: Buffer): { value: string; version: number } {
  const value = Buffer.from(hkdfSync("sha256", dataKey, "", "vouch dashboard sessions", 32)).toString("base64")
  return { value, version: createHash("sha256").update(value).digest().readUInt32BE(0) >>> 1 }
}

/** Prefix of values that better-auth sealed with a version number. */
const ENVELOPE = "$ba$"

/** better-auth's options for secrets. Names several only after a rotation, because earlier versions read only one. */
export async function authSecrets(dataKeys: readonly Buffer[], sql: Sql) {
  const secrets = dataKeys.map(secretOf)
  const [first] = secrets
  const [plain] = await sql<{ secret: string }[]>`
    select secret from user_two_factors where not starts_with(secret, ${ENVELOPE}) limit 1`
  const versioned = await sql`select from user_two_factors where starts_with(secret, ${ENVELOPE}) limit 1`
  const before = plain ? await keyOf(plain.secret, secrets) : first!.value
  if (versioned.length === 0 && before === first!.value) return { secret: first!.value }
  return { secret: before, secrets }
}

/** Seals second factors again with the first key, if another one sealed them. Returns how many it sealed. */
export async function resealSecondFactors(dataKeys: readonly Buffer[], sql: Sql): Promise<number> {
  const { symmetricDecrypt, symmetricEncrypt } = await import("better-auth/crypto")
  const secrets = dataKeys.map(secretOf)
  const key = {
    keys: new Map(secrets.map(({ version, value }) => [version, value])),
    currentVersion: secrets[0]!.version,
  }
  const isCurrent = async (sealed: string) =>
    sealed.startsWith(ENVELOPE)
      ? sealed.startsWith(`${ENVELOPE}${key.currentVersion}$`)
      : (await keyOf(sealed, secrets)) === secrets[0]!.value
  const open = async (sealed: string) =>
    symmetricDecrypt({ key: sealed.startsWith(ENVELOPE) ? key : await keyOf(sealed, secrets), data: sealed })
  const again = async (sealed: string) => symmetricEncrypt({ key, data: await open(sealed) })
  const rows = await sql<{ id: string; secret: string; backup_codes: string }[]>`
    select id, secret, backup_codes from user_two_factors`
  let resealed = 0
  for (const { id, secret, backup_codes: codes } of rows) {
    if ((await isCurrent(secret)) && (await isCurrent(codes))) continue
    // A code used in the meantime changes the row. The next run reseals it.
    const done = await sql`
      update user_two_factors set secret = ${await again(secret)}, backup_codes = ${await again(codes)}
      where id = ${id} and secret = ${secret} and backup_codes = ${codes}`
    resealed += done.count
  }
  return resealed
}

/** Finds the secret that sealed a value without a version. Throws if none did. */
async function keyOf(sealed: string, secrets: readonly { value: string }[]): Promise<string> {
  const { symmetricDecrypt } = await import("better-auth/crypto")
  for (const { value } of secrets) {
    const opened = await symmetricDecrypt({ key: value, data: sealed }).then(
      () => true,
      () => false,
    )
    if (opened) return value
  }
  throw new Error("A second factor was sealed with a key that VOUCH_DATA_KEY does not have.")
}
