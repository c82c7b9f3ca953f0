import { PublicKey } from "@solana/web3.js"
import { background as sql } from "#db/client.ts"
import { clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { addressOf } from "../addresses.ts"
import type { Keys, Signer } from "../keys.ts"
import { SignerFailure } from "./definition.ts"
import { asking, serviceSigner } from "./service-signer.ts"
import { readSigner } from "./table.ts"

/** The signers of a deployment, each opened once. */
export class Signers {
  readonly #keys: Keys
  /** By URI: a process reads a key from its service once. */
  readonly #services = new Map<string, Signer>()

  constructor(keys: Keys) {
    this.#keys = keys
  }

  /** The signer of a URI. Records its key at first use, permanently. Throws WrongSigner or SignerFailure. */
  async open(uri: string, purpose: string): Promise<Signer> {
    const { open } = readSigner(uri)
    const opened = open({ keys: this.#keys, purpose })
    if ("here" in opened) return opened.here
    const known = await pinned(uri)
    if (known !== null) return this.of(uri, purpose, known)
    const bytes = await asking((signal) => opened.service.publicKey(signal))
    return this.of(uri, purpose, await pin(uri, addressOf(new PublicKey(bytes))))
  }

  /** The signer of a URI whose key is known, without any request. Throws WrongSigner or SignerFailure. */
  of(uri: string, purpose: string, address: Address): Signer {
    const known = this.#services.get(uri)
    if (known?.publicKey.toBase58() === address) return known
    const opened = readSigner(uri).open({ keys: this.#keys, purpose })
    if ("service" in opened) {
      const signer = serviceSigner(opened.service, uri, address)
      this.#services.set(uri, signer)
      return signer
    }
    const there = opened.here.publicKey.toBase58()
    if (there === address) return opened.here
    throw new SignerFailure(`${uri} has the key ${there}, not ${address}, with which it was first used`)
  }
}

async function pinned(uri: string): Promise<Address | null> {
  const [row] = await sql<{ address: Address }[]>`select address from signer_keys where uri = ${uri}`
  return row?.address ?? null
}

/** The first process to record a key wins. */
async function pin(uri: string, address: Address): Promise<Address> {
  await sql`
    insert into signer_keys (uri, address, pinned_at) values (${uri}, ${address}, ${clock.now()})
    on conflict do nothing`
  return (await pinned(uri))!
}
