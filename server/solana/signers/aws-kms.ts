import type { KMSClient } from "@aws-sdk/client-kms"
import { defineScheme, type KeyService, SignerFailure, WrongSigner } from "./definition.ts"
import { keyFromSpki } from "./ed25519.ts"

const LABEL = "AWS KMS"
const ARN = /^arn:aws[\w-]*:kms:([a-z0-9-]+):\d{12}:(?:key|alias)\/[\w/-]+$/
const ID = /^([\w/-]+)\?region=([a-z0-9-]+)$/

/** A key of AWS KMS (ECC_NIST_EDWARDS25519). Credentials and endpoints come from where AWS tools look for them. */
export const awsKms = defineScheme({
  scheme: "aws-kms",
  label: LABEL,
  example: "aws-kms:arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab",
  read(rest) {
    const [, region] = ARN.exec(rest) ?? []
    if (region !== undefined) return { keyId: rest, region }
    const [, keyId, named] = ID.exec(rest) ?? []
    if (keyId === undefined || named === undefined)
      throw new WrongSigner("what follows aws-kms: must be a key's ARN, or its id and ?region=…")
    return { keyId, region: named }
  },
  open: (place) => ({ service: serviceOf(place) }),
})

function serviceOf({ keyId, region }: { keyId: string; region: string }): KeyService {
  let client: KMSClient | undefined
  const sdk = async () => {
    const kms = await import("@aws-sdk/client-kms")
    // One attempt: `service-signer.ts` retries for all services.
    client ??= new kms.KMSClient({ region, maxAttempts: 1 })
    return { client, ...kms }
  }
  return {
    async publicKey(abortSignal) {
      const { client, GetPublicKeyCommand } = await sdk()
      const answer = await asking(client.send(new GetPublicKeyCommand({ KeyId: keyId }), { abortSignal }))
      const { KeySpec, KeyUsage, SigningAlgorithms, PublicKey } = answer
      const fits = KeySpec === "ECC_NIST_EDWARDS25519" && KeyUsage === "SIGN_VERIFY"
      if (!fits || !SigningAlgorithms?.includes("ED25519_SHA_512"))
        throw new SignerFailure(
          `${LABEL} has a key of ${KeySpec} for ${KeyUsage}, not of ECC_NIST_EDWARDS25519 for SIGN_VERIFY`,
        )
      return keyFromSpki(LABEL, PublicKey ?? new Uint8Array())
    },
    async sign(message, abortSignal) {
      const { client, SignCommand } = await sdk()
      const command = new SignCommand({
        KeyId: keyId,
        Message: message,
        MessageType: "RAW",
        SigningAlgorithm: "ED25519_SHA_512",
      })
      const { Signature } = await asking(client.send(command, { abortSignal }))
      return Signature ?? new Uint8Array()
    },
  }
}

const THROTTLED = new Set(["ThrottlingException", "LimitExceededException", "RequestLimitExceeded"])

/** Reports an error by its name only: messages of the SDK may repeat what was sent. */
async function asking<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    const { name, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } }
    const status = $metadata?.httpStatusCode
    const passing = status === undefined || status >= 500 || status === 429 || THROTTLED.has(name)
    throw new SignerFailure(
      status === undefined ? `${LABEL} cannot be called: ${name}` : `${LABEL} answered ${status}: ${name}`,
      { passing },
    )
  }
}
