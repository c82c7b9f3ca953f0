import bs58 from "bs58"
import { base58OfKey } from "./keys.ts"
import { keyOfBase64 } from "./meta.ts"
import { type Config, optionalNumber } from "./params.ts"
import type { Meta, TokenBalance } from "./record.ts"
import { invalidParams, RpcError } from "./rpc.ts"
import { uiAmount } from "./token-layout.ts"
import type { Message, Transaction } from "./wire.ts"

/** A transaction as `getTransaction` and `getBlock` give it: `json`, or its bytes in base64 or base58. */
export function transactionView(
  { transaction, meta }: { transaction: Transaction; meta: Meta },
  { encoding, maxSupportedTransactionVersion }: Config,
) {
  const { version } = transaction.message
  const newest = optionalNumber(maxSupportedTransactionVersion, "maxSupportedTransactionVersion")
  if (newest === null && version !== "legacy")
    throw new RpcError(
      -32015,
      `Transaction version (${version}) is not supported by the requesting client. Please try the request again \
with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
    )
  return {
    transaction: encoded(transaction, encoding),
    meta: metaView(meta),
    ...(newest === null ? {} : { version }),
  }
}

function encoded({ wire, signatures, message }: Transaction, encoding: unknown) {
  switch (encoding ?? "json") {
    // Real clusters parse some instructions for `jsonParsed`; here it reads like `json`, with none parsed.
    case "json":
    case "jsonParsed":
      return { signatures: signatures.map((one) => bs58.encode(one)), message: messageView(message) }
    case "base64":
      return [wire.toString("base64"), "base64"]
    case "base58":
      return [bs58.encode(wire), "base58"]
    default:
      throw invalidParams(`Invalid params: unknown variant \`${String(encoding)}\``)
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
    ...(message.version === "legacy"
      ? {}
      : {
          addressTableLookups: message.lookups.map(({ table, writable, readonly }) => ({
            accountKey: base58OfKey(table),
            writableIndexes: [...writable],
            readonlyIndexes: [...readonly],
          })),
        }),
  }
}

function metaView(meta: Meta) {
  return {
    err: meta.err,
    status: meta.err === null ? { Ok: null } : { Err: meta.err },
    fee: meta.fee,
    preBalances: meta.pre.map(Number),
    postBalances: meta.post.map(Number),
    innerInstructions: meta.inner.map(({ index, instructions }) => ({
      index,
      instructions: instructions.map(({ program, accounts, data, height }) => ({
        programIdIndex: program,
        accounts,
        data: bs58.encode(Buffer.from(data, "base64")),
        stackHeight: height,
      })),
    })),
    logMessages: meta.logs,
    preTokenBalances: meta.preTokens.map(tokenBalanceView),
    postTokenBalances: meta.postTokens.map(tokenBalanceView),
    rewards: [],
    loadedAddresses: {
      writable: meta.loaded.writable.map(base58OfBase64),
      readonly: meta.loaded.readonly.map(base58OfBase64),
    },
    ...(meta.returnData === null
      ? {}
      : {
          returnData: {
            programId: base58OfBase64(meta.returnData.program),
            data: [meta.returnData.data, "base64"],
          },
        }),
    computeUnitsConsumed: meta.computeUnits,
  }
}

function tokenBalanceView({ index, mint, owner, program, amount, decimals }: TokenBalance) {
  return {
    accountIndex: index,
    mint: base58OfBase64(mint),
    owner: base58OfBase64(owner),
    programId: base58OfBase64(program),
    uiTokenAmount: uiAmount(BigInt(amount), decimals),
  }
}

const base58OfBase64 = (text: string) => base58OfKey(keyOfBase64(text))
