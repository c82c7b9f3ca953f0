import { findValidator } from "../fixtures/validator.ts"

// Runs the server's tests (project `api`) on a real validator: `npm run cluster -- --server-tests`.

/** Tests that need the local network, with reasons: by file, all of its tests or some by name. */
export const localnetOnly: { readonly [file: string]: string | { readonly [test: string]: string } } = {
  "localnet/**": "tests the local network itself",
  "server/embedded/**": "starts the local network",
  "server/ledger/finality.slow.test.ts": {
    "transactions in slots that a cluster rolls back land exactly once":
      "rolls back slots, which a single validator never does",
  },
  "server/solana/asset-answers.unit.test.ts": {
    "for freezing, thawing or minting without an account":
      "a cluster's Token-2022 is another binary, which reports InvalidAccountData",
    "for moving from or to an account that is missing or frozen":
      "a cluster's Token-2022 is another binary, which reports InvalidAccountData",
  },
}

export const localnetOnlyFiles = Object.keys(localnetOnly).filter((file) => typeof localnetOnly[file] === "string")

/** The tests that run in every test run if a validator is installed. */
const QUICK = [
  "server/solana/asset*.unit.test.ts",
  "server/domain/attestations/erase.test.ts",
  "server/domain/tokens/servicing.test.ts",
  "server/domain/tokens/holder-holds.test.ts",
]

/** All tests, if requested. */
export function onValidator(all: string): string[] {
  if (findValidator() === null) return []
  return process.env.VOUCH_TESTS_ON_VALIDATOR === "all" ? [all] : QUICK
}
