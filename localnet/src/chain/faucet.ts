import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto"
import { bytesOfKey, COMPUTE_BUDGET_PROGRAM, type Key, keyOfBytes, SYSTEM_PROGRAM } from "./keys.ts"

/** The initial balance: below 2^53, so that it is exact in every client. */
export const FAUCET_LAMPORTS = 9_000_000_000_000_000n

const PKCS8_ED25519 = Buffer.from("302e020100300506032b657004220420", "hex")

/** The account that pays for airdrops. It signs its transfers, which land like any other transaction. */
export class Faucet {
  readonly key: Key
  readonly #secret: KeyObject
  #airdrops = 0

  constructor(seed: Buffer) {
    this.#secret = createPrivateKey({
      key: Buffer.concat([PKCS8_ED25519, seed]),
      format: "der",
      type: "pkcs8",
    })
    const spki = createPublicKey(this.#secret).export({ format: "der", type: "spki" })
    this.key = keyOfBytes(spki.subarray(-32))
  }

  /** The bytes of a transfer. Each has another compute limit, so that two equal airdrops are not duplicates. */
  airdrop(to: Key, lamports: bigint, blockhash: Key): Buffer {
    this.#airdrops = (this.#airdrops + 1) % 1_000_000
    const limit = Buffer.alloc(5)
    limit.writeUInt8(2, 0)
    limit.writeUInt32LE(200_000 + this.#airdrops, 1)
    const transfer = Buffer.alloc(12)
    transfer.writeUInt32LE(2, 0)
    transfer.writeBigUInt64LE(lamports, 4)
    const keys = [this.key, to, SYSTEM_PROGRAM, COMPUTE_BUDGET_PROGRAM].map(bytesOfKey)
    const message = Buffer.concat([
      Buffer.from([1, 0, 2, keys.length]),
      ...keys,
      bytesOfKey(blockhash),
      Buffer.from([2, 3, 0, limit.length]),
      limit,
      Buffer.from([2, 2, 0, 1, transfer.length]),
      transfer,
    ])
    return Buffer.concat([Buffer.from([1]), sign(null, message, this.#secret), message])
  }
}
