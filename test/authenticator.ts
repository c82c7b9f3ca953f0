import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"

/**
 * A passkey in software: what a browser and its authenticator do (WebAuthn level 2), with or without asking its user.
 */
export class Authenticator {
  readonly #origin: string
  readonly #id = randomBytes(16)
  readonly #key: { publicKey: KeyObject; privateKey: KeyObject } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
  })
  #counter = 0

  constructor(origin: string) {
    this.#origin = origin
  }

  /** Answers a challenge of registration. `verified` is whether its user gave a finger or a PIN. */
  register({ challenge, rp }: { challenge: string; rp: { id: string } }, verified: boolean) {
    const { x, y } = this.#key.publicKey.export({ format: "jwk" })
    // COSE: EC2 (1: 2), ES256 (3: -7), P-256 (-1: 1), x (-2), y (-3).
    const publicKey = Buffer.concat([
      Buffer.from("a5010203262001215820", "hex"),
      Buffer.from(x!, "base64url"),
      Buffer.from("225820", "hex"),
      Buffer.from(y!, "base64url"),
    ])
    const length = Buffer.alloc(2)
    length.writeUInt16BE(this.#id.length)
    const attested = Buffer.concat([Buffer.alloc(16), length, this.#id, publicKey])
    const data = Buffer.concat([this.#data(rp.id, verified, 0x40), attested])
    const size = Buffer.alloc(2)
    size.writeUInt16BE(data.length)
    // CBOR: { fmt: "none", attStmt: {}, authData: bytes }.
    const attestation = Buffer.concat([
      Buffer.from("a363666d74646e6f6e656761747453746d74a0686175746844617461", "hex"),
      Buffer.from([0x59]),
      size,
      data,
    ])
    return this.#answer({
      clientDataJSON: this.#clientData("webauthn.create", challenge).toString("base64url"),
      attestationObject: attestation.toString("base64url"),
      transports: ["internal"],
    })
  }

  /** Answers a challenge of signing in. */
  signIn({ challenge, rpId }: { challenge: string; rpId: string }, verified: boolean) {
    const clientData = this.#clientData("webauthn.get", challenge)
    const data = this.#data(rpId, verified)
    const signature = sign(
      "sha256",
      Buffer.concat([data, createHash("sha256").update(clientData).digest()]),
      this.#key.privateKey,
    )
    return this.#answer({
      clientDataJSON: clientData.toString("base64url"),
      authenticatorData: data.toString("base64url"),
      signature: signature.toString("base64url"),
    })
  }

  #clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.#origin, crossOrigin: false }))
  }

  /** Authenticator data: whose challenge, whether the user was there (1) and verified (4), and a counter. */
  #data(rpId: string, verified: boolean, flags = 0): Buffer {
    const counter = Buffer.alloc(4)
    this.#counter += 1
    counter.writeUInt32BE(this.#counter)
    const bits = 0x01 | (verified ? 0x04 : 0) | flags
    return Buffer.concat([createHash("sha256").update(rpId).digest(), Buffer.from([bits]), counter])
  }

  #answer(response: Record<string, unknown>) {
    const id = this.#id.toString("base64url")
    return { response: { id, rawId: id, type: "public-key", clientExtensionResults: {}, response } }
  }
}
