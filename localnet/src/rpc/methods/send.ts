import type { Simulation } from "../../chain/chain.ts"
import { base58OfKey, type Key } from "../../chain/keys.ts"
import { BLOCKHASH_BLOCKS } from "../../chain/slots.ts"
import { describeError } from "../../chain/transaction-errors.ts"
import {
  isVersion1,
  MAX_TRANSACTION_BYTES,
  PACKET_BYTES,
  parseTransaction,
  type Transaction,
  WireError,
} from "../../chain/wire.ts"
import { accountView } from "../../views/account-view.ts"
import { innerView, loadedView, returnDataView, tokenBalanceView } from "../../views/transaction-view.ts"
import * as param from "../params.ts"
import { invalidParams, type Methods, RpcError } from "../rpc.ts"
import type { Context } from "./context.ts"

/** The longest text for a transaction. Version 1 is never sent in base58. */
const MAX_ENCODED = { base58: 1683, base64: 5464 } as const

const PREFLIGHT_FAILURE = -32002

/** Sends and simulates transactions. */
export function sendMethods({ chain, withContext }: Context): Methods {
  const find = (key: Key) => chain.vm.account(key)
  return {
    sendTransaction: ([encoded, given]) => {
      const options = param.config(given)
      const transaction = decode(encoded, options.encoding)
      const commitment = param.commitment(options.preflightCommitment)
      param.requireMinContextSlot(chain.slots, options, "processed")
      if (options.skipPreflight === true) {
        // A transaction that cannot land, or is forged, is dropped silently.
        if (!chain.held) chain.submit(transaction, "land")
        return transaction.signature
      }
      // Execution is its own preflight: if it fails, it leaves no trace.
      const refusal = chain.refusalOf(transaction, commitment)
      const failed =
        refusal !== null || chain.held || chain.submit(transaction, "refuse").err !== null
          ? chain.simulate(transaction, { verify: true, blockhash: commitment })
          : null
      if (failed !== null && failed.execution.err !== null) throw preflightFailure(failed)
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
      const simulation = chain.simulate(transaction, { verify, blockhash: replace ? "any" : commitment })
      const { meta, keys, execution } = simulation
      const height = chain.slots.height(commitment)
      const isForged = execution.err === "SignatureFailure"
      return withContext(
        {
          ...outcomeView(simulation),
          accounts: accountsAfter(simulation, options.accounts),
          innerInstructions: options.innerInstructions === true ? innerView(meta.inner, keys, true) : null,
          loadedAddresses: loadedView(meta),
          preBalances: isForged ? null : meta.pre.map(Number),
          postBalances: isForged ? null : meta.post.map(Number),
          preTokenBalances: isForged ? null : meta.preTokens.map(tokenBalanceView),
          postTokenBalances: isForged ? null : meta.postTokens.map(tokenBalanceView),
          replacementBlockhash: replace
            ? {
                blockhash: base58OfKey(chain.slots.blockhash(height)),
                lastValidBlockHeight: height + BLOCKHASH_BLOCKS,
              }
            : null,
        },
        commitment,
      )
    },
    requestAirdrop: ([to, lamports]) => {
      const outcome = chain.airdrop(param.address(to), BigInt(param.wholeNumber(lamports, "lamports")))
      if (outcome.err !== null) throw invalidParams(`airdrop refused: ${describeError(outcome.err)}`)
      return outcome.signature
    },
  }

  function accountsAfter({ accounts, execution, keys }: Simulation, wanted: unknown) {
    if (wanted === undefined || wanted === null) return null
    const { addresses, encoding } = param.config(wanted)
    if (encoding === "base58" || encoding === "binary") throw invalidParams("base58 encoding not supported")
    const view = accountView({ encoding }, { encoding: "base64", find })
    if (param.list(addresses, "accounts.addresses", 256).length > keys.length)
      throw invalidParams(`Too many accounts provided; max ${keys.length}`)
    const found = param.list(addresses, "accounts.addresses", 256).map(param.address)
    return found.map((key) => {
      const account = execution.err === null ? (accounts.get(key) ?? find(key)) : null
      return account === null ? null : view(account)
    })
  }
}

function decode(encoded: unknown, encodingGiven: unknown): Transaction {
  const encoding = param.wireEncoding(encodingGiven)
  const given = param.text(encoded, "transaction")
  const maxText = MAX_ENCODED[encoding]
  if (given.length > maxText)
    throw invalidParams(`${encoding} encoded solana_transaction::versioned::VersionedTransaction too large: \
${given.length} bytes (max: encoded/raw ${maxText}/${MAX_TRANSACTION_BYTES})`)
  const bytes = param.decodeBytes(given, encoding)
  if (bytes === null) throw invalidParams(`invalid ${encoding} encoding`)
  const max = isVersion1(bytes) ? MAX_TRANSACTION_BYTES : PACKET_BYTES
  if (bytes.length > max)
    throw invalidParams(`decoded solana_transaction::versioned::VersionedTransaction too large: \
${bytes.length} bytes (max: ${max} bytes)`)
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

function preflightFailure(simulation: Simulation): RpcError {
  const { err } = simulation.execution
  return new RpcError(PREFLIGHT_FAILURE, `Transaction simulation failed: ${describeError(err!)}`, {
    ...outcomeView(simulation),
    ...{ accounts: null, innerInstructions: null, loadedAddresses: null, replacementBlockhash: null },
    ...{ preBalances: null, postBalances: null, preTokenBalances: null, postTokenBalances: null },
  })
}

/** The fields that a simulation and a failed preflight share. */
const outcomeView = ({ execution, fee, loadedBytes, meta }: Simulation) => ({
  err: execution.err,
  logs: execution.logs,
  unitsConsumed: execution.computeUnits,
  returnData: meta.returnData === null ? null : returnDataView(meta.returnData),
  fee,
  loadedAccountsDataSize: loadedBytes,
})
