import { readFileSync, statSync } from "node:fs"
import { isAbsolute } from "node:path"
import { type Signer, signerFromSeed } from "../keys.ts"
import { defineScheme, SignerFailure, WrongSigner } from "./definition.ts"

/** Permissions the file must not have. Its group may read it, as with a mounted Kubernetes secret. */
const FORBIDDEN = 0o037

/** A keypair file of the Solana CLI: 64 numbers, the seed and the public key. */
export const file = defineScheme({
  scheme: "file",
  label: "a keypair file",
  example: "file:/etc/vouch/fee-payer.json",
  read(path) {
    if (!isAbsolute(path)) throw new WrongSigner("what follows file: must be an absolute path")
    return { path }
  },
  open: ({ path }) => ({ here: readKeypair(path) }),
})

/** Throws SignerFailure, which never contains a byte of the file. */
function readKeypair(path: string): Signer {
  let bytes: unknown
  let mode: number
  try {
    mode = statSync(path).mode
    bytes = JSON.parse(readFileSync(path, "utf8"))
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "it is not JSON"
    throw new SignerFailure(`the keypair file ${path} cannot be read: ${code}`)
  }
  if ((mode & FORBIDDEN) !== 0)
    return refuse(path, `can be read by everyone or changed by its group: chmod 600 ${path}`)
  const isKeypair =
    Array.isArray(bytes) &&
    bytes.length === 64 &&
    bytes.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255)
  if (!isKeypair) return refuse(path, "is not an array of 64 numbers from 0 to 255")
  const keypair = Uint8Array.from(bytes as number[])
  const signer = signerFromSeed(keypair.subarray(0, 32))
  if (!Buffer.from(keypair.subarray(32)).equals(signer.publicKey.toBuffer()))
    return refuse(path, "has a public key that does not match its secret key")
  return signer
}

function refuse(path: string, problem: string): never {
  throw new SignerFailure(`the keypair file ${path} ${problem}`)
}
