import type { Call } from "./samples.ts"

/** Of nobody: an address that the examples of the API use as well. */
const WALLET = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU"
const SCHEMA = "kyc_individual_v1"

/** What a first hour with the API is. */
export const steps = {
  start: {
    title: "Start a verification",
    call: {
      method: "POST",
      path: "/kyc/start",
      body: { userPubkey: WALLET, schemaId: SCHEMA },
      once: "start",
    },
  },
  status: {
    title: "Get the wallet's status",
    call: { method: "GET", path: `/kyc/status/${WALLET}?schema=${SCHEMA}` },
  },
  mint: {
    title: "Mint to the wallet",
    call: {
      method: "POST",
      path: "/token/mint",
      body: { user_pubkey: WALLET, mint_config: "us_real_estate_fund_v1", amount: "100" },
      once: "mint",
    },
  },
} as const satisfies Record<string, { title: string; call: Call }>
