import { fromBase64 } from "../bytes.ts"
import type { Account } from "./accounts.ts"
import { fromBase58 } from "./address.ts"

/** The part of web3.js' PublicKey that its connection uses. */
type Key = { toBase58(): string }
type Web3Account = { owner: Key; data: Uint8Array } | null
type Web3Transaction = {
  meta: { err: unknown } | null
  transaction: {
    message: {
      header: { numRequiredSignatures: number }
      staticAccountKeys: Key[]
      compiledInstructions: { programIdIndex: number; accountKeyIndexes: number[]; data: Uint8Array }[]
    }
  }
} | null

type Commitment = "confirmed" | "finalized"

/** The part of a `Connection` of @solana/web3.js 1.x that is used here. */
export type Web3Connection = {
  rpcEndpoint: string
  getMultipleAccountsInfo(keys: Key[], commitment: Commitment): Promise<Web3Account[]>
  getTokenAccountsByOwner(
    owner: Key,
    filter: { programId: Key } | { mint: Key },
    commitment: Commitment,
  ): Promise<{ value: readonly { pubkey: Key }[] }>
  getSignaturesForAddress(
    address: Key,
    options: { before?: string; until?: string; limit?: number },
    commitment: Commitment,
  ): Promise<{ signature: string; err: unknown; memo: string | null; blockTime?: number | null }[]>
  getTransaction(
    signature: string,
    options: { commitment: Commitment; maxSupportedTransactionVersion: number },
  ): Promise<Web3Transaction>
}

type Pending = { send(): Promise<unknown> }
type Method = (...params: never[]) => Pending

/** The part of the result of `createSolanaRpc` of @solana/kit that is used here. */
export type KitRpc = {
  getMultipleAccounts: Method
  getTokenAccountsByOwner: Method
  getSignaturesForAddress: Method
  getTransaction: Method
}

/** A connection of web3.js, an RPC of kit, or the address of a node's JSON-RPC. */
export type ChainConnection = string | Web3Connection | KitRpc

/** `at`: Unix seconds; null if the node does not know it. */
type Signed = { signature: string; failed: boolean; memo: string; at: number | null }
export type Instruction = { program: string; accounts: string[]; data: Uint8Array }
/** A landed transaction: its signers and instructions. */
export type Transaction = { failed: boolean; signers: string[]; instructions: Instruction[] }

/** A part of a history, bounded by signatures of transactions. */
export type Span = { before?: string; until?: string }

/** The calls made to a node. */
export type Node = {
  accounts(addresses: string[]): Promise<(Account | null)[]>
  /** Addresses of all token accounts of a wallet in a program. */
  tokenAccounts(wallet: string, program: string): Promise<string[]>
  /** Newest first, at most a thousand, older than `before` and newer than `until`. */
  signatures(address: string, span: Span): Promise<Signed[]>
  transaction(signature: string): Promise<Transaction | null>
}

export const PAGE = 1000
/** Accepts all future versions, because transactions of other programs are read, too. */
const ANY_VERSION = 255

export function nodeOf(connection: ChainConnection, commitment: Commitment): Node {
  if (typeof connection === "string") return overJson(caller(connection), commitment)
  // Kit returns a function for every name.
  if (typeof (connection as Web3Connection).rpcEndpoint === "string")
    return overWeb3(connection as Web3Connection, commitment)
  const rpc = connection as unknown as Record<string, (...params: unknown[]) => Pending>
  return overJson((method, params) => rpc[method]!(...params).send(), commitment)
}

const key = (address: string): Key => ({ toBase58: () => address })

function overWeb3(connection: Web3Connection, commitment: Commitment): Node {
  return {
    async accounts(addresses) {
      const accounts = await connection.getMultipleAccountsInfo(addresses.map(key), commitment)
      return accounts.map((one) => one && { program: one.owner.toBase58(), data: one.data })
    },
    async tokenAccounts(wallet, program) {
      const { value } = await connection.getTokenAccountsByOwner(key(wallet), { programId: key(program) }, commitment)
      return value.map(({ pubkey }) => pubkey.toBase58())
    },
    async signatures(address, span) {
      const options = { limit: PAGE, ...span }
      const list = await connection.getSignaturesForAddress(key(address), options, commitment)
      return list.map(toSigned)
    },
    async transaction(signature) {
      const options = { commitment, maxSupportedTransactionVersion: ANY_VERSION }
      const found = await connection.getTransaction(signature, options)
      if (!found) return null
      const { header, staticAccountKeys, compiledInstructions } = found.transaction.message
      const instructions = compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
        programIdIndex,
        accounts: accountKeyIndexes,
        data,
      }))
      const keys = staticAccountKeys.map((one) => one.toBase58())
      return transactionOf(found.meta?.err !== null, keys, header.numRequiredSignatures, instructions)
    },
  }
}

type Call = (method: string, params: unknown[]) => Promise<unknown>
type JsonAccount = { owner: string; data: [string, string] } | null
type JsonTransaction = {
  meta: { err: unknown } | null
  transaction: {
    message: {
      header: { numRequiredSignatures: number }
      accountKeys: string[]
      instructions: { programIdIndex: number; accounts: number[]; data: string }[]
    }
  }
} | null

function overJson(call: Call, commitment: Commitment): Node {
  return {
    async accounts(addresses) {
      const { value } = (await call("getMultipleAccounts", [addresses, { commitment, encoding: "base64" }])) as {
        value: JsonAccount[]
      }
      return value.map((one) => one && { program: one.owner, data: fromBase64(one.data[0]) ?? new Uint8Array() })
    },
    async tokenAccounts(wallet, program) {
      // Only addresses are needed, so the request asks for no bytes.
      const options = { commitment, encoding: "base64", dataSlice: { offset: 0, length: 0 } }
      const { value } = (await call("getTokenAccountsByOwner", [wallet, { programId: program }, options])) as {
        value: { pubkey: string }[]
      }
      return value.map(({ pubkey }) => pubkey)
    },
    async signatures(address, span) {
      const options = { commitment, limit: PAGE, ...span }
      const list = (await call("getSignaturesForAddress", [address, options])) as Listed[]
      return list.map(toSigned)
    },
    async transaction(signature) {
      const options = { commitment, encoding: "json", maxSupportedTransactionVersion: ANY_VERSION }
      const found = (await call("getTransaction", [signature, options])) as JsonTransaction
      if (!found) return null
      const { header, accountKeys, instructions } = found.transaction.message
      const decoded = instructions.map((one) => ({ ...one, data: fromBase58(one.data) ?? new Uint8Array() }))
      return transactionOf(found.meta?.err !== null, accountKeys, Number(header.numRequiredSignatures), decoded)
    },
  }
}

/** Kit returns a bigint as the time. */
type Listed = { signature: string; err: unknown; memo: string | null; blockTime?: number | bigint | null }

const toSigned = ({ signature, err, memo, blockTime }: Listed): Signed => ({
  signature,
  failed: err !== null,
  memo: memo ?? "",
  at: blockTime == null ? null : Number(blockTime),
})

/** Keys from a lookup table are not trusted, because the table's owner chose them. */
function transactionOf(
  failed: boolean,
  keys: readonly string[],
  signatures: number,
  instructions: readonly { programIdIndex: number; accounts: readonly number[]; data: Uint8Array }[],
): Transaction {
  const at = (index: number): string => keys[index] ?? ""
  return {
    failed,
    signers: keys.slice(0, signatures),
    instructions: instructions.map(({ programIdIndex, accounts, data }) => ({
      program: at(programIdIndex),
      accounts: accounts.map(at),
      data,
    })),
  }
}

function caller(url: string): Call {
  return async (method, params) => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    })
    const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
    if (error || result === undefined) throw new Error(`${method}: ${error?.message ?? `status ${response.status}`}`)
    return result
  }
}
