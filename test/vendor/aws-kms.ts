import { createHmac, timingSafeEqual } from "node:crypto"
import { type Answer, newKey, type Question, sha256, startKeyService } from "./key-service.ts"

const REGION = "eu-central-1"
const ACCESS_KEY = "AKIAVOUCHTEST0000000"
const SECRET_KEY = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
const SKEW_MS = 5 * 60_000
const MAX_MESSAGE = 4096

const refusal = (name: string, message: string, status = 400): Answer => ({
  status,
  headers: { "content-type": "application/x-amz-json-1.1", "x-amzn-errortype": name },
  json: { __type: name, message },
})

/**
 * The part of AWS KMS that a signer uses (https://docs.aws.amazon.com/kms/latest/APIReference/API_Sign.html). It
 * computes Signature Version 4 from the received request, and refuses requests like AWS.
 */
export async function startAwsKms() {
  const key = newKey()
  const id = "1234abcd-12ab-34cd-56ef-1234567890ab"
  const arn = `arn:aws:kms:${REGION}:111122223333:key/${id}`
  const service = await startKeyService(
    (question, { of }) => {
      const problem = problemOfSignature(question)
      if (problem !== null) return problem
      const { method, url, headers, body } = question
      if (method !== "POST" || url.pathname !== "/" || headers["content-type"] !== "application/x-amz-json-1.1")
        return refusal("UnknownOperationException", "JSON 1.1 by POST to /")
      const operation = /^TrentService\.(\w+)$/.exec(String(headers["x-amz-target"]))?.[1]
      const input = JSON.parse(body.toString("utf8")) as Record<string, unknown>
      if (input.KeyId !== arn && input.KeyId !== id)
        return refusal("NotFoundException", `Key '${input.KeyId}' does not exist`)
      const served = of(key)
      const answered = (json: object): Answer => ({
        status: 200,
        headers: { "content-type": "application/x-amz-json-1.1" },
        json: { KeyId: arn, ...json },
      })
      if (operation === "GetPublicKey")
        return answered({
          PublicKey: served.spki.toString("base64"),
          KeySpec: "ECC_NIST_EDWARDS25519",
          CustomerMasterKeySpec: "ECC_NIST_EDWARDS25519",
          KeyUsage: "SIGN_VERIFY",
          SigningAlgorithms: ["ED25519_SHA_512", "ED25519_PH_SHA_512"],
        })
      if (operation !== "Sign") return refusal("UnknownOperationException", String(operation))
      const { KeyId, Message, MessageType, SigningAlgorithm, ...others } = input
      if (Object.keys(others).length > 0) return refusal("SerializationException", Object.keys(others).join())
      if (SigningAlgorithm !== "ED25519_SHA_512" || MessageType !== "RAW")
        return refusal("ValidationException", "ED25519_SHA_512 takes MessageType RAW")
      const message = Buffer.from(String(Message), "base64")
      if (message.length < 1 || message.length > MAX_MESSAGE)
        return refusal("ValidationException", `Message has ${message.length} bytes`)
      return answered({ Signature: served.sign(message).toString("base64"), SigningAlgorithm })
    },
    refusal("KMSInternalException", "try again", 500),
  )
  return {
    ...service,
    key,
    uri: `aws-kms:${arn}`,
    /** Environment variables for the SDK. */
    environment: {
      AWS_ENDPOINT_URL_KMS: service.origin,
      AWS_ACCESS_KEY_ID: ACCESS_KEY,
      AWS_SECRET_ACCESS_KEY: SECRET_KEY,
    },
    secret: SECRET_KEY,
  }
}

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html */
function problemOfSignature({ method, url, headers, body }: Question): Answer | null {
  const [, credential, signed, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      String(headers.authorization),
    ) ?? []
  if (!credential || !signed || !signature) return refusal("MissingAuthenticationTokenException", "unsigned")
  const [accessKey, day, region, service, end] = credential.split("/")
  if (accessKey !== ACCESS_KEY) return refusal("UnrecognizedClientException", "unknown access key", 403)
  const date = String(headers["x-amz-date"])
  const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"))
  const isNow = Math.abs(Date.now() - at) < SKEW_MS && date.startsWith(day!)
  if (!isNow || region !== REGION || service !== "kms" || end !== "aws4_request")
    return refusal("InvalidSignatureException", "wrong scope", 403)
  const names = signed.split(";")
  if (!["host", "x-amz-date"].every((name) => names.includes(name)))
    return refusal("InvalidSignatureException", "unsigned headers", 403)
  const canonical = [
    method,
    url.pathname,
    url.search.slice(1),
    ...names.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, " ")}`),
    "",
    signed,
    sha256(body),
  ].join("\n")
  const scope = `${day}/${region}/${service}/${end}`
  const text = ["AWS4-HMAC-SHA256", date, scope, sha256(canonical)].join("\n")
  const hmac = (key: string | Buffer, value: string) => createHmac("sha256", key).update(value).digest()
  const key = [day!, region, service, end].reduce<string | Buffer>(hmac, `AWS4${SECRET_KEY}`)
  const expected = hmac(key, text)
  return timingSafeEqual(expected, Buffer.from(signature, "hex"))
    ? null
    : refusal("InvalidSignatureException", "The request signature does not match", 403)
}
