import { findValidator } from "../fixtures/validator.ts"

// The server's own tests, of the project `api`, on a real validator: `npm run cluster -- --server-tests`.

/** What is of the local network alone, each with the reason. By file: all of it, or the names of tests. */
export const localnetOnly: { readonly [file: string]: string | { readonly [test: string]: string } } = {
  "localnet/**": "tests the local network itself",
  "server/embedded/**": "starts the local network",
  "server/ledger/finality.slow.test.ts": {
    "what landed in slots that a cluster goes back behind is there in the end, once":
      "rolls back slots, which one validator alone never does",
  },
  "server/solana/asset-answers.unit.test.ts": {
    "to freezing, thawing or minting where no account is":
      "a cluster's Token-2022 is another binary, and says InvalidAccountData",
    "to moving where an account is absent, or frozen":
      "a cluster's Token-2022 is another binary, and says InvalidAccountData",
  },
}

export const localnetOnlyFiles = Object.keys(localnetOnly).filter((file) => typeof localnetOnly[file] === "string")

/** Those that run with all other tests, where there is a validator. */
const QUICK = ["server/solana/asset*.unit.test.ts", "server/domain/attestations/erase.test.ts"]

/** All of them where they are asked for. */
export function onValidator(all: string): string[] {
  if (findValidator() === null) return []
  return process.env.VOUCH_TESTS_ON_VALIDATOR === "all" ? [all] : QUICK
}
