import type { Keys, Signer } from "../keys.ts"

/** A signer's URI is invalid. The message tells its author why and never repeats the URI. */
export class WrongSigner extends Error {}

/** A key cannot sign: its service is unreachable, refuses, or returns something invalid. */
export class SignerFailure extends Error {
  /** Whether an immediate retry may help. */
  readonly passing: boolean
  constructor(message: string, { passing = false } = {}) {
    super(message)
    this.passing = passing
  }
}

/** A service that keeps a key. Each call is one request; `service-signer.ts` adds timeouts and retries. */
export type KeyService = {
  /** The 32 bytes of the public key. */
  publicKey(signal: AbortSignal): Promise<Uint8Array>
  /** A 64-byte signature, not verified yet. */
  sign(message: Uint8Array, signal: AbortSignal): Promise<Uint8Array>
}

/** A key in this process, or the service that has it. */
export type Opened = { here: Signer } | { service: KeyService }

/** A place where keys can be. `Place` is the parsed URI. */
export type SignerScheme<Place> = {
  /** The part of the URI before the colon. */
  scheme: string
  /** Its name for people. */
  label: string
  /** An example URI. */
  example: string
  /** Parses what follows the colon, without any request. Throws WrongSigner. */
  read(rest: string): Place
  /** `purpose` selects a key if it derives from the deployment's secret. */
  open(place: Place, context: { keys: Keys; purpose: string }): Opened
}

/** Defines a place for keys; every field is required. */
export const defineScheme = <Place>(definition: SignerScheme<Place>): SignerScheme<Place> => definition
