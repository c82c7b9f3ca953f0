import bs58 from "bs58"
import { base58OfKey, type Key } from "../../chain/keys.ts"
import { TOKEN_ACCOUNT_BYTES } from "../../chain/token-layout.ts"
import { accountView } from "../../views/account-view.ts"
import * as param from "../params.ts"
import { invalidParams, type Methods } from "../rpc.ts"
import type { Context } from "./context.ts"

const MAX_ACCOUNTS = 100
const MAX_FILTERS = 4
const MAX_MEMCMP_BYTES = 128

/** Reads accounts in their newest state at any commitment, so the context has the newest slot. */
export function accountMethods({ chain, optionsOf, withContext }: Context): Methods {
  const { vm } = chain
  const find = (key: Key) => vm.account(key)
  return {
    getBalance: ([key, given]) => {
      optionsOf(given)
      return withContext(Number(vm.balance(param.address(key))))
    },
    getAccountInfo: ([key, given]) => {
      const view = accountView(optionsOf(given), { find })
      const account = vm.account(param.address(key))
      return withContext(account === null ? null : view(account))
    },
    getMultipleAccounts: ([keys, given]) => {
      const view = accountView(optionsOf(given), { encoding: "base64", tooLong: "report", find })
      const accounts = param
        .list(keys, "addresses", MAX_ACCOUNTS)
        .map(param.address)
        .map((key) => vm.account(key))
      return withContext(accounts.map((account) => (account === null ? null : view(account))))
    },
    getProgramAccounts: ([program, given]) => {
      const found = optionsOf(given)
      const view = accountView(found, { find })
      const matches = filtersOf(found.filters)
      const accounts = vm
        .ownedBy(param.address(program), matches)
        .map(({ key, account }) => ({ pubkey: base58OfKey(key), account: view(account) }))
      return found.withContext === true ? withContext(accounts) : accounts
    },
  }
}

type Filter = (data: Buffer) => boolean

export function filtersOf(given: unknown): Filter {
  const filters = param.list(given ?? [], "filters", MAX_FILTERS).map(filterOf)
  return (data) => filters.every((filter) => filter(data))
}

/** Matches initialized token accounts. */
const tokenAccountState: Filter = (data) => data.length >= TOKEN_ACCOUNT_BYTES && data[108] !== 0

function filterOf(given: unknown): Filter {
  if (given === "tokenAccountState") return tokenAccountState
  const { dataSize, memcmp } = param.config(given)
  if (dataSize !== undefined) {
    const size = param.wholeNumber(dataSize, "dataSize")
    return (data) => data.length === size
  }
  const { offset, bytes, encoding } = param.config(memcmp)
  const at = param.wholeNumber(offset, "memcmp.offset")
  const wanted = memcmpBytes(bytes, encoding)
  return (data) => data.subarray(at, at + wanted.length).equals(wanted)
}

/** Text is base58 unless `encoding` says base64. An array of numbers is the bytes themselves. */
function memcmpBytes(bytes: unknown, encoding: unknown): Buffer {
  const decoded =
    typeof bytes === "string"
      ? bytes.length > 2 * MAX_MEMCMP_BYTES
        ? null
        : encoding === "base64"
          ? Buffer.from(bytes, "base64")
          : bs58.decodeUnsafe(bytes)
      : Array.isArray(bytes)
        ? Buffer.from(bytes)
        : null
  if (decoded === null || decoded === undefined || decoded.length > MAX_MEMCMP_BYTES)
    throw invalidParams(`Invalid param: memcmp.bytes must be base58 or base64 of at most ${MAX_MEMCMP_BYTES} bytes`)
  return Buffer.from(decoded)
}
