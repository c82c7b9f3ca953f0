import { accountView } from "../account-view.ts"
import type { ExecutionResult } from "../chain.ts"
import { base58OfKey } from "../keys.ts"
import * as param from "../params.ts"
import { invalidParams, type Methods, RpcError } from "../rpc.ts"
import { BLOCKHASH_BLOCKS } from "../slots.ts"
import { describeError } from "../transaction-errors.ts"
import type { Execution } from "../vm.ts"
import { PACKET_BYTES, parseTransaction, type Transaction, WireError } from "../wire.ts"
import type { Context } from "./context.ts"

/** The longest text that a packet's bytes can have, in each encoding. */
const MAX_ENCODED = { base58: 1683, base64: 1644 } as const

const SIGNATURE_FAILURE = -32003
const PREFLIGHT_FAILURE = -32002

/** What sends transactions, or tries them. */
export function sendMethods({ chain, withContext }: Context): Methods {
  return {
    sendTransaction: ([encoded, given]) => {
      const options = param.config(given)
      const transaction = decode(encoded, options.encoding)
      param.commitment(options.preflightCommitment)
      param.requireMinContextSlot(chain.slots, options, "processed")
      const skipPreflight = options.skipPreflight === true
      const outcome = chain.held
        ? trial(transaction)
        : chain.submit(transaction, skipPreflight ? "land" : "refuse")
      if (outcome.err === "SignatureFailure")
        throw new RpcError(SIGNATURE_FAILURE, "Transaction signature verification failure")
      // Without preflight, a transaction that cannot land is dropped silently.
      if (outcome.err !== null && !skipPreflight) throw preflightFailure(outcome)
      return transaction.signature
    },
    simulateTransaction: ([encoded, given]) => {
      const options = param.config(given)
      const replace = options.replaceRecentBlockhash === true
      const verify = options.sigVerify === true
      if (verify && replace) throw invalidParams("sigVerify may not be used with replaceRecentBlockhash")
      const transaction = decode(encoded, options.encoding)
      const commitment = param.commitment(options.commitment)
      param.requireMinContextSlot(chain.slots, options, commitment)
      const outcome = chain.simulate(transaction, { verify, anyBlockhash: replace })
      if (verify && outcome.err === "SignatureFailure")
        throw new RpcError(SIGNATURE_FAILURE, "Transaction signature verification failure")
      const height = chain.slots.height(commitment)
      return withContext({
        err: outcome.err,
        logs: outcome.logs,
        accounts: accountsAfter(outcome.accounts, options.accounts),
        unitsConsumed: outcome.computeUnits,
        returnData: returnDataView(outcome.returnData),
        innerInstructions: null,
        ...(replace && {
          replacementBlockhash: {
            blockhash: base58OfKey(chain.slots.blockhash(height)),
            lastValidBlockHeight: height + BLOCKHASH_BLOCKS,
          },
        }),
      })
    },
    requestAirdrop: ([to, lamports]) => {
      const outcome = chain.airdrop(param.address(to), BigInt(param.wholeNumber(lamports, "lamports")))
      if (outcome.err !== null) throw invalidParams(`airdrop refused: ${describeError(outcome.err)}`)
      return outcome.signature
    },
  }

  function trial(transaction: Transaction): ExecutionResult {
    return { ...chain.simulate(transaction, { verify: true, anyBlockhash: false }), landed: null }
  }

  function accountsAfter(accounts: ReturnType<typeof chain.simulate>["accounts"], wanted: unknown) {
    if (wanted === undefined || wanted === null) return null
    const { addresses, encoding } = param.config(wanted)
    const view = accountView({ encoding: encoding ?? "base64" })
    return param.list(addresses, "accounts.addresses", 256).map((one) => {
      const key = param.address(one)
      const account = accounts.get(key) ?? chain.vm.account(key)
      return account === null ? null : view(account)
    })
  }
}

function decode(encoded: unknown, encodingGiven: unknown): Transaction {
  const encoding = param.wireEncoding(encodingGiven)
  const given = param.text(encoded, "transaction")
  const max = MAX_ENCODED[encoding]
  if (given.length > max)
    throw invalidParams(`${encoding} encoded solana_transaction::versioned::VersionedTransaction too large: \
${given.length} bytes (max: encoded/raw ${max}/${PACKET_BYTES})`)
  const bytes = param.decodeBytes(given, encoding)
  if (bytes === null) throw invalidParams(`invalid ${encoding} encoding`)
  if (bytes.length > PACKET_BYTES)
    throw invalidParams(`decoded solana_transaction::versioned::VersionedTransaction too large: \
${bytes.length} bytes (max: ${PACKET_BYTES} bytes)`)
  try {
    return parseTransaction(bytes)
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    throw invalidParams(
      error.sanitize
        ? "invalid transaction: Transaction failed to sanitize accounts offsets correctly"
        : `failed to deserialize solana_transaction::versioned::VersionedTransaction: ${error.message}`,
    )
  }
}

function preflightFailure({ err, logs, computeUnits, returnData }: ExecutionResult): RpcError {
  return new RpcError(PREFLIGHT_FAILURE, `Transaction simulation failed: ${describeError(err!)}`, {
    err,
    logs,
    accounts: null,
    unitsConsumed: computeUnits,
    returnData: returnDataView(returnData),
    innerInstructions: null,
  })
}

function returnDataView(returnData: Execution["returnData"]) {
  return returnData === null
    ? null
    : { programId: base58OfKey(returnData.program), data: [returnData.data.toString("base64"), "base64"] }
}
