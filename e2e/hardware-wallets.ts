import type { InstalledWallet } from "./wallet.ts"

/** The app, what it can do, and how the page gets its signature. */
type HardwareWallet = [
  string,
  Omit<InstalledWallet, "name" | "accounts">,
  "at once" | "in another way" | "without sending",
]

const SIGNS_ALL = ["solana:signIn", "solana:signMessage", "solana:signTransaction"] as const

/** What hardware wallets can do through an app, and how they fail, according to public reports. */
export const hardwareWallets: HardwareWallet[] = [
  // "User rejected the request", code 4001, for a Ledger whose owner approves: https://github.com/phantom/sandbox/issues/14
  [
    "Phantom",
    {
      can: SIGNS_ALL,
      accountsList: ["solana:signMessage", "solana:signTransaction"],
      fails: {
        "solana:signIn": { code: 4001, message: "User rejected the request." },
        "solana:signMessage": { code: 4001, message: "User rejected the request." },
      },
    },
    "in another way",
  ],
  // Accounts that list only transactions, as Wallet Standard allows for devices.
  ["Phantom and others", { can: SIGNS_ALL, accountsList: ["solana:signTransaction"] }, "without sending"],
  // "Signing off chain messages with Ledger is not yet supported": https://github.com/anza-xyz/wallet-adapter/issues/800
  [
    "Backpack",
    {
      can: SIGNS_ALL,
      // https://github.com/coral-xyz/backpack/blob/master/packages/wallet-standard/src/account.ts
      accountsList: ["solana:signAndSendTransaction", "solana:signTransaction", "standard:signMessage"],
      fails: {
        "solana:signIn": { message: "Signing off chain messages with Ledger is not yet supported" },
        "solana:signMessage": { message: "Signing off chain messages with Ledger is not yet supported" },
      },
    },
    "without sending",
  ],
  // Listed by the account, and refused with 4001 for a Ledger: https://github.com/solflare-wallet/solflare-sdk/issues/24
  [
    "Solflare",
    {
      can: [...SIGNS_ALL, "solana:signOffchainMessage"],
      accountsList: ["solana:signOffchainMessage", "solana:signTransaction"],
      fails: { "solana:signOffchainMessage": { code: 4001, message: "Transaction cancelled" } },
    },
    "without sending",
  ],
  // The app supports it, but the account does not list it: https://github.com/solana-foundation/connectorkit/pull/59
  [
    "Jupiter",
    {
      can: [...SIGNS_ALL, "solana:signOffchainMessage"],
      accountsList: ["solana:signTransaction"],
      fails: {
        "solana:signOffchainMessage": { message: "Account does not support off-chain message signing" },
      },
    },
    "without sending",
  ],
  // The merged standard: https://github.com/anza-xyz/wallet-standard/pull/92
  [
    "Merged Standard",
    {
      can: [...SIGNS_ALL, "solana:signOffchainMessage"],
      accountsList: ["solana:signOffchainMessage", "solana:signTransaction"],
    },
    "at once",
  ],
  // Signing in 1.1, an open request: https://github.com/anza-xyz/wallet-standard/pull/93
  [
    "Next Standard",
    {
      can: ["solana:signIn"],
      signInVersion: "1.1.0",
      accountsList: ["solana:signIn"],
    },
    "at once",
  ],
]
