import bs58 from "bs58"
import { costOf } from "../chain/fees.ts"
import { base58OfKey, type Key } from "../chain/keys.ts"
import { keyOfBase64 } from "../chain/meta.ts"
import { uiAmount } from "../chain/token-layout.ts"
import { isWritable, type Message, type Transaction } from "../chain/wire.ts"
import { type Config, optionalNumber } from "../rpc/params.ts"
import { invalidParams, RpcError } from "../rpc/rpc.ts"
import type { Meta, TokenBalance } from "../storage/record.ts"
import { instructionView } from "./parsed-instruction.ts"

type Full = { transaction: Transaction; meta: Meta }

const encodings = ["json", "jsonParsed", "base64", "base58", "binary"] as const
type Encoding = (typeof encodings)[number]

/**
 * A transaction as in `getTransaction` and `getBlock`. `rewards`: whether to include its rewards, which are always
 * empty.
 */
export function transactionView(full: Full, options: Config, { rewards = true } = {}) {
  const encoding = (options.encoding ?? "json") as Encoding
  if (!encodings.includes(encoding))
    throw invalidParams(`Invalid params: unknown variant \`${String(options.encoding)}\``)
  return {
    transaction: encoded(full, encoding),
    meta: metaView(full, encoding === "jsonParsed", rewards),
    ...versionOf(full, options),
  }
}

/** A transaction as in `getBlock` with `transactionDetails: "accounts"`. */
export function accountsView(full: Full, options: Config) {
  const { err, status, fee, preBalances, postBalances, preTokenBalances, postTokenBalances } = metaView(
    full,
    true,
    false,
  )
  return {
    transaction: { accountKeys: accountKeys(full), signatures: signaturesOf(full) },
    meta: { err, status, fee, preBalances, postBalances, preTokenBalances, postTokenBalances },
    ...versionOf(full, options),
  }
}

/** The version, if the client names the newest that it supports. Throws for a newer transaction. */
function versionOf({ transaction }: Full, { maxSupportedTransactionVersion }: Config) {
  const { version } = transaction.message
  const newest = optionalNumber(maxSupportedTransactionVersion, "maxSupportedTransactionVersion")
  if (newest !== null && newest > 255) throw invalidParams("Invalid params: maxSupportedTransactionVersion is a u8")
  if (version !== "legacy" && version > (newest ?? -1))
    throw new RpcError(
      -32015,
      `Transaction version (${version}) is not supported by the requesting client. Please try the request again \
with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
    )
  return newest === null ? {} : { version }
}

const signaturesOf = ({ transaction }: Full) => transaction.signatures.map((one) => bs58.encode(one))

function encoded(full: Full, encoding: Encoding) {
  const { wire, message } = full.transaction
  switch (encoding) {
    case "json":
      return { signatures: signaturesOf(full), message: messageView(message) }
    case "jsonParsed":
      return { signatures: signaturesOf(full), message: parsedMessage(full) }
    case "base64":
      return [wire.toString("base64"), "base64"]
    case "base58":
      return [bs58.encode(wire), "base58"]
    case "binary":
      return bs58.encode(wire)
  }
}

function messageView(message: Message) {
  return {
    header: {
      numRequiredSignatures: message.requiredSignatures,
      numReadonlySignedAccounts: message.readonlySigned,
      numReadonlyUnsignedAccounts: message.readonlyUnsigned,
    },
    accountKeys: message.keys.map(base58OfKey),
    recentBlockhash: base58OfKey(message.blockhash),
    instructions: message.instructions.map(({ programIdIndex, accounts, data }) => ({
      programIdIndex,
      accounts: [...accounts],
      data: bs58.encode(data),
      stackHeight: 1,
    })),
    ...versionedParts(message),
  }
}

/** The fields that only some versions have. */
function versionedParts({ version, lookups, config }: Message) {
  if (config !== null) {
    const { priorityFee } = config
    return {
      transactionConfig: { ...config, priorityFee: priorityFee === null ? null : Number(priorityFee) },
    }
  }
  if (version === "legacy") return {}
  const addressTableLookups = lookups.map(({ table, writable, readonly }) => ({
    accountKey: base58OfKey(table),
    writableIndexes: [...writable],
    readonlyIndexes: [...readonly],
  }))
  return { addressTableLookups }
}

/** All keys in order: those of the message, then those of lookup tables, writable ones first. */
function keysOf({ transaction, meta }: Full): Key[] {
  return [...transaction.message.keys, ...[...meta.loaded.writable, ...meta.loaded.readonly].map(keyOfBase64)]
}

function accountKeys(full: Full) {
  const { message } = full.transaction
  const own = message.keys.length
  const written = own + full.meta.loaded.writable.length
  // A called program is not write-locked, whatever the header says.
  const programs = new Set(message.instructions.map(({ programIdIndex }) => programIdIndex))
  return keysOf(full).map((key, index) => ({
    pubkey: base58OfKey(key),
    signer: index < message.requiredSignatures,
    source: index < own ? "transaction" : "lookupTable",
    writable: index < own ? isWritable(message, index) && !programs.has(index) : index < written,
  }))
}

function parsedMessage(full: Full) {
  const { message } = full.transaction
  const keys = keysOf(full)
  return {
    accountKeys: accountKeys(full),
    recentBlockhash: base58OfKey(message.blockhash),
    instructions: message.instructions.map(({ programIdIndex, accounts, data }) =>
      instructionView({
        program: keys[programIdIndex]!,
        accounts: [...accounts].map((index) => keys[index]!),
        data,
        stackHeight: 1,
      }),
    ),
    ...versionedParts(message),
  }
}

/** Instructions that programs called. */
export function innerView(inner: Meta["inner"], keys: readonly Key[], parsed: boolean) {
  return inner.map(({ index, instructions }) => ({
    index,
    instructions: instructions.map(({ program, accounts, data: base64, height }) => {
      const data = Buffer.from(base64, "base64")
      return parsed
        ? instructionView({
            program: keys[program]!,
            accounts: accounts.map((at) => keys[at]!),
            data,
            stackHeight: height,
          })
        : { programIdIndex: program, accounts, data: bs58.encode(data), stackHeight: height }
    }),
  }))
}

function metaView(full: Full, parsed: boolean, rewards: boolean) {
  const { meta, transaction } = full
  return {
    err: meta.err,
    status: meta.err === null ? { Ok: null } : { Err: meta.err },
    fee: meta.fee,
    preBalances: meta.pre.map(Number),
    postBalances: meta.post.map(Number),
    innerInstructions: innerView(meta.inner, keysOf(full), parsed),
    logMessages: meta.logs,
    preTokenBalances: meta.preTokens.map(tokenBalanceView),
    postTokenBalances: meta.postTokens.map(tokenBalanceView),
    rewards: rewards ? [] : null,
    // In `jsonParsed` they are among the account keys.
    ...(!parsed && { loadedAddresses: loadedView(meta) }),
    ...(meta.returnData !== null && { returnData: returnDataView(meta.returnData) }),
    computeUnitsConsumed: meta.computeUnits,
    costUnits: costOf(transaction.message, meta.computeUnits),
  }
}

export const loadedView = ({ loaded }: Meta) => ({
  writable: loaded.writable.map(base58OfBase64),
  readonly: loaded.readonly.map(base58OfBase64),
})

export const returnDataView = ({ program, data }: NonNullable<Meta["returnData"]>) => ({
  programId: base58OfBase64(program),
  data: [data, "base64"],
})

export function tokenBalanceView({ index, mint, owner, program, amount, decimals }: TokenBalance) {
  return {
    accountIndex: index,
    mint: base58OfBase64(mint),
    owner: base58OfBase64(owner),
    programId: base58OfBase64(program),
    uiTokenAmount: uiAmount(BigInt(amount), decimals),
  }
}

const base58OfBase64 = (text: string) => base58OfKey(keyOfBase64(text))
