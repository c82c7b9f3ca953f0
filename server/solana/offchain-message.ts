/** `\xffsolana offchain`: no transaction and no text begins with these bytes. */
const DOMAIN = Buffer.concat([Buffer.from([0xff]), Buffer.from("solana offchain")])

const VERSION_0 = 0
const VERSION_1 = 1
const APPLICATION_BYTES = 32
/** Restricted ASCII, UTF-8 that a hardware wallet can show, and longer UTF-8, which some wallets use for any text. */
const FORMATS = [0, 1, 2]

/**
 * The text in an off-chain message of Solana's format with a single signer; null if the bytes have another form. Hardware
 * wallets use the format to distinguish messages from transactions, and the wallet standard lets a wallet sign the wrapped
 * message. Reads version 0, as specified and in the short form of Ledger's app, and version 1
 * (https://github.com/anza-xyz/agave/blob/master/docs/src/proposals/off-chain-message-signing.md,
 * https://github.com/solana-foundation/SRFCs/discussions/3).
 */
export function unwrapMessage(message: Buffer, signer: Uint8Array): Buffer | null {
  if (!message.subarray(0, DOMAIN.length).equals(DOMAIN)) return null
  const version = message[DOMAIN.length]
  const rest = message.subarray(DOMAIN.length + 1)
  if (version === VERSION_1) return afterSigner(rest, signer)
  if (version !== VERSION_0) return null
  return sized(formatted(rest)) ?? sized(afterSigner(formatted(rest.subarray(APPLICATION_BYTES)), signer))
}

const formatted = (bytes: Buffer): Buffer | null => (FORMATS.includes(bytes[0]!) ? bytes.subarray(1) : null)

/** The content after the number of signers and the signer. */
function afterSigner(bytes: Buffer | null, signer: Uint8Array): Buffer | null {
  if (bytes === null || bytes[0] !== 1) return null
  const end = 1 + signer.length
  return bytes.subarray(1, end).equals(signer) ? bytes.subarray(end) : null
}

/** The content after its length, if the length fits. */
function sized(bytes: Buffer | null): Buffer | null {
  if (bytes === null || bytes.length < 2) return null
  return bytes.readUInt16LE(0) === bytes.length - 2 ? bytes.subarray(2) : null
}
