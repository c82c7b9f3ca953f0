import { randomBytes } from "node:crypto"
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { startAwsKms } from "#test/vendor/aws-kms.ts"
import { startGcpKms } from "#test/vendor/gcp-kms.ts"
import { startVault } from "#test/vendor/vault.ts"
import { localKeys } from "../keys.ts"
import { SignerFailure } from "./definition.ts"
import { verifierOf } from "./ed25519.ts"
import { serviceSigner } from "./service-signer.ts"
import { readSigner } from "./table.ts"

const context = { keys: localKeys(Buffer.alloc(32)), purpose: "" }

function serviceOf(uri: string) {
  const opened = readSigner(uri).open(context)
  if ("here" in opened) throw new Error(`${uri} is not a service`)
  return opened.service
}

const services = { "AWS KMS": startAwsKms, "Google Cloud KMS": startGcpKms, Vault: startVault }

describe.each(Object.entries(services))("%s", (label, start) => {
  let kms: Awaited<ReturnType<typeof start>>
  const messages = [randomBytes(1232), randomBytes(100)]
  const setEnvironment = () => {
    for (const [name, value] of Object.entries(kms.environment)) vi.stubEnv(name, value)
  }

  beforeAll(async () => {
    kms = await start()
    setEnvironment()
  })
  afterEach(() => {
    kms.misbehave(null)
    setEnvironment()
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await kms.stop()
  })

  const signer = () => serviceSigner(serviceOf(kms.uri), kms.uri, kms.key.address)
  const failure = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => null,
      (error: unknown) => error,
    )
    expect(error).toBeInstanceOf(SignerFailure)
    expect((error as Error).message).not.toContain(kms.secret)
    return (error as SignerFailure).message
  }

  test("returns its public key and signs messages", async () => {
    const key = await serviceOf(kms.uri).publicKey(AbortSignal.timeout(60_000))
    expect(Buffer.from(key).equals(kms.key.raw)).toBe(true)
    const verifies = verifierOf(kms.key.raw)
    const signatures = await signer().sign(messages)
    expect(signatures.map((one, i) => verifies(messages[i]!, one))).toEqual([true, true])
    expect(kms.requests.every(({ status }) => status === 200)).toBe(true)
  })

  test("is called again after a short outage", async () => {
    kms.misbehave({ away: 2 })
    await expect(signer().sign(messages)).resolves.toHaveLength(2)
  })

  test("that stays unreachable fails within the time that the ledger waits", async () => {
    kms.misbehave({ away: 1000 })
    const before = kms.requests.length
    expect(await failure(signer().sign(messages))).toMatch(new RegExp(`${label} answered 50`))
    expect(kms.requests.length - before).toBeLessThanOrEqual(3)
  })

  test("that hangs times out", async () => {
    kms.misbehave("hangs")
    await failure(signer().sign(messages))
  })

  test("signs with another key: the signature is not returned", async () => {
    kms.misbehave("signs wrong")
    expect(await failure(signer().sign(messages.slice(1)))).toMatch(/a signature that is not/)
  })

  test("has another key than at first use, and is refused before it signs", async () => {
    kms.misbehave("other key")
    const before = kms.requests.length
    expect(await failure(signer().sign(messages))).toMatch(/now has another key/)
    expect(kms.requests.length - before).toBe(1)
  })

  test("refuses wrong credentials, and the error does not contain them", async () => {
    // In an error, a service account's key looks like a token.
    if (label === "AWS KMS") vi.stubEnv("AWS_SECRET_ACCESS_KEY", "not-the-secret-key")
    if (label === "Vault") vi.stubEnv("VAULT_TOKEN", "hvs.not-the-token")
    if (label === "Google Cloud KMS") vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", "/nowhere/account.json")
    const message = await failure(signer().sign(messages))
    expect(message).toMatch(/403|no credentials/)
    expect(message).not.toMatch(/not-the/)
  })
})

test("a checksum that does not match Google's answer is refused", async () => {
  const kms = await startGcpKms()
  for (const [name, value] of Object.entries(kms.environment)) vi.stubEnv(name, value)
  kms.misbehave("damages")
  const signing = serviceSigner(serviceOf(kms.uri), kms.uri, kms.key.address).sign([randomBytes(10)])
  await expect(signing).rejects.toThrow(/damaged/)
  vi.unstubAllEnvs()
  await kms.stop()
})

test("a key that Vault does not have, and a missing version, are named in the error", async () => {
  const vault = await startVault()
  for (const [name, value] of Object.entries(vault.environment)) vi.stubEnv(name, value)
  const ask = (uri: string) => serviceOf(uri).publicKey(AbortSignal.timeout(60_000))
  await expect(ask(vault.uri.replace("keys/vouch", "keys/other"))).rejects.toThrow("Vault answered 404")
  await expect(ask(vault.uri.replace("version=2", "version=3"))).rejects.toThrow(/without 32 bytes/)
  vi.stubEnv("VAULT_TOKEN", "")
  await expect(ask(vault.uri)).rejects.toThrow(/set VAULT_TOKEN_FILE or VAULT_TOKEN/)
  vi.unstubAllEnvs()
  await vault.stop()
})
