import { base58OfKey, isTokenProgram, type Key, keyAt, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../chain/keys.ts"
import {
  readMint,
  readTokenAccount,
  TOKEN_ACCOUNT_BYTES,
  type TokenAccount,
  uiAmount,
} from "../../chain/token-layout.ts"
import type { Account } from "../../chain/vm.ts"
import { accountView } from "../../views/account-view.ts"
import * as param from "../params.ts"
import { invalidParams, type Methods } from "../rpc.ts"
import type { Context } from "./context.ts"

const LARGEST_ACCOUNTS = 20

/** Accounts and mints of SPL Token and Token-2022. */
export function tokenMethods({ chain, optionsOf, withContext }: Context): Methods {
  const { vm } = chain
  const find = (key: Key) => vm.account(key)
  return {
    getTokenAccountBalance: ([key, given]) => {
      requireCommitment(given)
      const account = vm.account(param.address(key))
      if (account === null) throw invalidParams("Invalid param: could not find account")
      const token = readTokenAccount(account)
      if (token === null) throw invalidParams("Invalid param: not a Token account")
      return withContext(uiAmount(token.amount, mintAt(token.mint).decimals))
    },
    getTokenSupply: ([key, given]) => {
      requireCommitment(given)
      const { supply, decimals } = mintAt(param.address(key))
      return withContext(uiAmount(supply, decimals))
    },
    getTokenLargestAccounts: ([key, given]) => {
      requireCommitment(given)
      const mint = param.address(key)
      const { decimals, program } = mintAt(mint)
      const largest = vm
        .ownedBy(program, (data) => data.length >= TOKEN_ACCOUNT_BYTES && keyAt(data, 0) === mint)
        .flatMap(({ key: address, account }) => {
          const token = readTokenAccount(account)
          return token?.mint === mint ? [{ address, amount: token.amount }] : []
        })
        .sort((a, b) => (a.amount < b.amount ? 1 : a.amount > b.amount ? -1 : 0))
        .slice(0, LARGEST_ACCOUNTS)
      return withContext(
        largest.map(({ address, amount }) => ({
          address: base58OfKey(address),
          ...uiAmount(amount, decimals),
        })),
      )
    },
    getTokenAccountsByOwner: ([owner, filter, given]) => {
      const view = accountView(optionsOf(given), { find })
      const matches = filterOf(filter)
      const accounts = [...chain.tokenAccountsOf(param.address(owner))].flatMap((key) => {
        const account = vm.account(key)
        const token = account === null ? null : readTokenAccount(account)
        if (account === null || token?.owner !== param.address(owner) || !matches(account, token)) return []
        return [{ pubkey: base58OfKey(key), account: view(account) }]
      })
      return withContext(accounts)
    },
    getTokenAccountsByDelegate: ([delegateGiven, filter, given]) => {
      const view = accountView(optionsOf(given), { find })
      const matches = filterOf(filter)
      const delegate = param.address(delegateGiven)
      const hasDelegate = (data: Buffer) =>
        data.length >= TOKEN_ACCOUNT_BYTES && data.readUInt32LE(72) === 1 && keyAt(data, 76) === delegate
      const found = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].flatMap((program) => vm.ownedBy(program, hasDelegate))
      const accounts = found.flatMap(({ key, account }) => {
        const token = readTokenAccount(account)
        return token !== null && matches(account, token) ? [{ pubkey: base58OfKey(key), account: view(account) }] : []
      })
      return withContext(accounts)
    },
  }

  function filterOf(given: unknown): (account: Account, token: TokenAccount) => boolean {
    const { mint, program } = programOrMint(given)
    return (account, token) => (mint === null ? account.owner === program : token.mint === mint)
  }

  function programOrMint(given: unknown): { mint: Key | null; program: Key | null } {
    const { mint, programId } = param.config(given)
    if ((mint === undefined) === (programId === undefined))
      throw invalidParams("Invalid params: expected map with a single key: mint or programId")
    if (mint !== undefined) {
      const key = param.address(mint)
      mintAt(key)
      return { mint: key, program: null }
    }
    const program = param.address(programId)
    if (program !== TOKEN_PROGRAM && program !== TOKEN_2022_PROGRAM)
      throw invalidParams("Invalid param: unrecognized Token program id")
    return { mint: null, program }
  }

  function mintAt(key: Key) {
    const account = vm.account(key)
    if (account === null) throw invalidParams("Invalid param: could not find mint")
    const mint = isTokenProgram(account.owner) ? readMint(account) : null
    if (mint === null) throw invalidParams("Invalid param: not a Token mint")
    return { ...mint, program: account.owner }
  }
}

/** These methods ignore `minContextSlot`, and refuse options without a commitment. */
function requireCommitment(given: unknown) {
  const options = param.config(given)
  if (given !== undefined && given !== null && typeof options.commitment !== "string")
    throw invalidParams("Invalid params: missing field `commitment`.")
}
