import { base58OfKey, keyAt } from "../chain/keys.ts"
import { TOKEN_ACCOUNT_BYTES } from "../chain/token-layout.ts"

type View = { extension: string; state?: unknown }
type Read = (data: Buffer) => unknown

/** Zeros mean no address (`OptionalNonZeroPubkey`). */
const addressAt = (data: Buffer, offset: number): string | null =>
  data.subarray(offset, offset + 32).every((byte) => byte === 0) ? null : base58OfKey(keyAt(data, offset))

/**
 * Token-2022's extensions by number (spl-token-2022-interface `ExtensionType`), as a cluster shows them
 * (`parse_token_extension.rs`). An extension without state needs no reader.
 */
const extensions: Record<number, readonly [name: string, read?: Read]> = {
  3: ["mintCloseAuthority", (data) => ({ closeAuthority: addressAt(data, 0) })],
  6: ["defaultAccountState", (data) => ({ accountState: ["uninitialized", "initialized", "frozen"][data[0]!] })],
  7: ["immutableOwner"],
  8: ["memoTransfer", (data) => ({ requireIncomingTransferMemos: data[0] === 1 })],
  9: ["nonTransferable"],
  11: ["cpiGuard", (data) => ({ lockCpi: data[0] === 1 })],
  12: ["permanentDelegate", (data) => ({ delegate: addressAt(data, 0) })],
  13: ["nonTransferableAccount"],
  14: ["transferHook", (data) => ({ authority: addressAt(data, 0), programId: addressAt(data, 32) })],
  15: ["transferHookAccount", (data) => ({ transferring: data[0] === 1 })],
  18: ["metadataPointer", (data) => ({ authority: addressAt(data, 0), metadataAddress: addressAt(data, 32) })],
  19: ["tokenMetadata", readMetadata],
  20: ["groupPointer", (data) => ({ authority: addressAt(data, 0), groupAddress: addressAt(data, 32) })],
  22: ["groupMemberPointer", (data) => ({ authority: addressAt(data, 0), memberAddress: addressAt(data, 32) })],
  25: [
    "scaledUiAmountConfig",
    (data) => ({
      authority: addressAt(data, 0),
      multiplier: String(data.readDoubleLE(32)),
      newMultiplierEffectiveTimestamp: Number(data.readBigInt64LE(40)),
      newMultiplier: String(data.readDoubleLE(48)),
    }),
  ],
  26: ["pausableConfig", (data) => ({ authority: addressAt(data, 0), paused: data[32] === 1 })],
  27: ["pausableAccount"],
  28: ["permissionedBurnConfig", (data) => ({ authority: addressAt(data, 0) })],
}

/** Reads the extensions after the account's type. Each is u16 kind, u16 length, data. */
export function extensionsOf(data: Buffer): View[] {
  const found: View[] = []
  for (let at = TOKEN_ACCOUNT_BYTES + 1; at + 4 <= data.length; ) {
    const [kind, length] = [data.readUInt16LE(at), data.readUInt16LE(at + 2)]
    if (kind === 0) break
    const [name, read] = extensions[kind] ?? ["unparseableExtension"]
    const body = data.subarray(at + 4, at + 4 + length)
    found.push({ extension: name, ...(read !== undefined && { state: read(body) }) })
    at += 4 + length
  }
  return found
}

/** In Borsh: two addresses, three texts, a list of pairs of texts. */
function readMetadata(data: Buffer) {
  let at = 64
  const text = () => {
    const length = data.readUInt32LE(at)
    at += 4 + length
    return data.toString("utf8", at - length, at)
  }
  const [name, symbol, uri] = [text(), text(), text()]
  const pairs = data.readUInt32LE(at)
  at += 4
  return {
    updateAuthority: addressAt(data, 0),
    mint: addressAt(data, 32),
    name,
    symbol,
    uri,
    additionalMetadata: Array.from({ length: pairs }, () => [text(), text()]),
  }
}
