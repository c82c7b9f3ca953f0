import type { Keys, Signer } from "../keys.ts"

/** A signer's URI that cannot be read, in words for the person who wrote it; it never repeats what was written. */
export class WrongSigner extends Error {}

/** A key that does not sign: its service is away, refuses, or answers what it must not. */
export class SignerFailure extends Error {
  /** Whether asking again at once may help. */
  readonly passing: boolean
  constructor(message: string, { passing, cause }: { passing: boolean; cause?: unknown }) {
    super(message, cause === undefined ? {} : { cause })
    this.passing = passing
  }
}

/** A service that keeps a key. Each call is one question: timeouts and repetition are `service-signer.ts`'s. */
export type KeyService = {
  /** The 32 bytes of the public key. */
  publicKey(signal: AbortSignal): Promise<Uint8Array>
  /** The 64 bytes of a signature, which nobody has verified yet. */
  sign(message: Uint8Array, signal: AbortSignal): Promise<Uint8Array>
}

/** A key that is here, or a service that has it. */
export type Opened = { here: Signer } | { service: KeyService }

/** Where keys can be: all that there is to say about it. `Place` is what its URI tells. */
export type SignerScheme<Place> = {
  /** What a URI begins with, before the colon. */
  scheme: string
  /** What people call it. */
  label: string
  /** How its URI looks, as an example. */
  example: string
  /** Reads what follows the colon. It asks nobody. Throws WrongSigner. */
  read(rest: string): Place
  /** `purpose` names the key among those that derive from the deployment's secret. */
  open(place: Place, context: { keys: Keys; purpose: string }): Opened
}

/** Defines a place for keys. Nothing may be left out. */
export const defineScheme = <Place>(definition: SignerScheme<Place>): SignerScheme<Place> => definition
