import { createVerify, generateKeyPairSync, randomBytes } from "node:crypto"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { crc32c } from "#server/lib/crc32c.ts"
import { type Answer, newKey, startKeyService } from "./key-service.ts"

const EMAIL = "vouch@project.iam.gserviceaccount.com"
const SCOPE = "https://www.googleapis.com/auth/cloudkms"
const NAME = "projects/project/locations/europe-west3/keyRings/vouch/cryptoKeys/live/cryptoKeyVersions/1"
const MAX_DATA = 64 * 1024

const refusal = (code: number, status: string, message: string): Answer => ({
  status: code,
  json: { error: { code, message, status } },
})

/**
 * The part of Google Cloud KMS that a signer uses
 * (https://cloud.google.com/kms/docs/reference/rest/v1/projects.locations.keyRings.cryptoKeys.cryptoKeyVersions/asymmetricSign).
 * The bearer is a token that the service account signed itself. Both sides check checksums.
 */
export async function startGcpKms() {
  const key = newKey()
  const account = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const keyId = randomBytes(20).toString("hex")
  const sumOf = (bytes: Buffer | string) => String(crc32c(Buffer.from(bytes)))
  const service = await startKeyService(
    ({ method, url, headers, body }, { of, isDamaged }) => {
      if (!isToken(String(headers.authorization), { publicKey: account.publicKey, keyId }))
        return refusal(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.")
      const path = url.pathname.replace("/v1/", "")
      const served = of(key)
      if (method === "GET" && path === `${NAME}/publicKey`)
        return {
          status: 200,
          json: {
            name: NAME,
            algorithm: "EC_SIGN_ED25519",
            pem: served.pem,
            pemCrc32c: isDamaged ? "1" : sumOf(served.pem),
            protectionLevel: "HSM",
          },
        }
      if (method !== "POST" || path !== `${NAME}:asymmetricSign`)
        return refusal(404, "NOT_FOUND", "no such key version")
      const { data, dataCrc32c, ...others } = JSON.parse(body.toString("utf8")) as Record<string, unknown>
      if (Object.keys(others).length > 0 || typeof data !== "string")
        return refusal(400, "INVALID_ARGUMENT", "EC_SIGN_ED25519 takes the field data, and no digest")
      const message = Buffer.from(data, "base64")
      if (message.length > MAX_DATA) return refusal(400, "INVALID_ARGUMENT", "data is too long")
      if (dataCrc32c !== undefined && dataCrc32c !== sumOf(message))
        return refusal(400, "INVALID_ARGUMENT", "the sum of data does not match")
      const signature = served.sign(message)
      return {
        status: 200,
        json: {
          name: NAME,
          signature: signature.toString("base64"),
          signatureCrc32c: isDamaged ? "1" : sumOf(signature),
          verifiedDataCrc32c: dataCrc32c !== undefined,
          protectionLevel: "HSM",
        },
      }
    },
    refusal(503, "UNAVAILABLE", "try again"),
  )
  const file = join(mkdtempSync(join(tmpdir(), "vouch-gcp-")), "account.json")
  const secret = account.privateKey.export({ format: "pem", type: "pkcs8" }) as string
  const written = {
    type: "service_account",
    project_id: "project",
    private_key_id: keyId,
    private_key: secret,
    client_email: EMAIL,
    client_id: "1",
    universe_domain: "googleapis.com",
  }
  writeFileSync(file, JSON.stringify(written), { mode: 0o600 })
  return {
    ...service,
    key,
    uri: `gcp-kms:${NAME}`,
    /** Environment variables for Google's libraries. */
    environment: {
      GOOGLE_APPLICATION_CREDENTIALS: file,
      CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDKMS: `${service.origin}/`,
    },
    secret: secret.split("\n")[1]!,
  }
}

/** https://developers.google.com/identity/protocols/oauth2/service-account#jwt-auth */
function isToken(
  authorization: string,
  { publicKey, keyId }: { publicKey: ReturnType<typeof generateKeyPairSync>["publicKey"]; keyId: string },
): boolean {
  const [, head, claims, signature] = /^Bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(authorization) ?? []
  if (!head || !claims || !signature) return false
  const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString("utf8"))
  const { alg, kid } = read(head)
  const { iss, sub, scope, iat, exp } = read(claims)
  const now = Date.now() / 1000
  return (
    alg === "RS256" &&
    kid === keyId &&
    iss === EMAIL &&
    sub === EMAIL &&
    scope === SCOPE &&
    iat <= now + 60 &&
    exp > now &&
    exp - iat <= 3600 &&
    createVerify("RSA-SHA256").update(`${head}.${claims}`).verify(publicKey, signature, "base64url")
  )
}
