import { accountView } from "../account-view.ts"
import { base58OfKey, isTokenProgram, type Key, keyAt, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../keys.ts"
import * as param from "../params.ts"
import { invalidParams, type Methods } from "../rpc.ts"
import { readMint, readTokenAccount, TOKEN_ACCOUNT_BYTES, uiAmount } from "../token-layout.ts"
import type { Context } from "./context.ts"

const LARGEST_ACCOUNTS = 20

/** SPL Token and Token-2022. */
export function tokenMethods({ chain, optionsOf, withContext }: Context): Methods {
  const { vm } = chain
  return {
    getTokenAccountBalance: ([key, given]) => {
      optionsOf(given)
      const account = vm.account(param.address(key))
      if (account === null) throw invalidParams("Invalid param: could not find account")
      const token = readTokenAccount(account)
      if (token === null) throw invalidParams("Invalid param: not a Token account")
      return withContext(uiAmount(token.amount, mintAt(token.mint).decimals))
    },
    getTokenSupply: ([key, given]) => {
      optionsOf(given)
      const { supply, decimals } = mintAt(param.address(key))
      return withContext(uiAmount(supply, decimals))
    },
    getTokenLargestAccounts: ([key, given]) => {
      optionsOf(given)
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
      const view = accountView(optionsOf(given))
      const wanted = programOrMint(filter)
      const accounts = [...chain.tokenAccountsOf(param.address(owner))].flatMap((key) => {
        const account = vm.account(key)
        const token = account === null ? null : readTokenAccount(account)
        if (account === null || token === null) return []
        const matches = wanted.mint === null ? account.owner === wanted.program : token.mint === wanted.mint
        return matches ? [{ pubkey: base58OfKey(key), account: view(account) }] : []
      })
      return withContext(accounts)
    },
  }

  function programOrMint(given: unknown): { mint: Key | null; program: Key | null } {
    const { mint, programId } = param.config(given)
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
