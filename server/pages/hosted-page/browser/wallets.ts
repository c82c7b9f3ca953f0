// The part of the wallet standard that a signature needs (https://github.com/wallet-standard/wallet-standard,
// https://github.com/anza-xyz/wallet-standard). These 200 lines replace packages of several hundred kilobytes.

export type Account = {
  readonly address: string
  readonly publicKey: Uint8Array
  /** What this account can do. A hardware wallet's account can do less than its app. */
  readonly features: readonly string[]
}
type Signed = { readonly signedMessage: Uint8Array; readonly signature: Uint8Array }

type Features = {
  readonly "standard:connect"?: { connect(): Promise<{ readonly accounts: readonly Account[] }> }
  readonly "solana:signIn"?: { version: string; signIn(input: object): Promise<readonly Signed[]> }
  readonly "solana:signMessage"?: {
    signMessage(input: { account: Account; message: Uint8Array }): Promise<readonly Signed[]>
  }
  readonly "solana:signOffchainMessage"?: {
    readonly supportedMessageVersions: readonly number[]
    signOffchainMessage(input: {
      messageVersion: 1
      account: Account
      message: string
      requiredSigners: readonly Uint8Array[]
    }): Promise<readonly { readonly signedOffchainMessage: Uint8Array; readonly signature: Uint8Array }[]>
  }
  readonly "solana:signTransaction"?: {
    signTransaction(input: {
      account: Account
      transaction: Uint8Array
    }): Promise<readonly { readonly signedTransaction: Uint8Array }[]>
  }
}

export type Wallet = {
  readonly name: string
  /** A data URI. */
  readonly icon: string
  readonly chains: readonly string[]
  /** Accounts that already granted access to this page. */
  readonly accounts?: readonly Account[]
  readonly features: Features
}

/**
 * What to sign: `input` for wallets that build the text themselves, `text` for those that sign any text, `transaction`
 * for those that only sign transactions.
 */
export type SignInRequest = {
  readonly input: { readonly address: string }
  readonly text: string
  /** Base64. */
  readonly transaction: string
}

/** The proof that the server accepts, in base64. */
export type Proof = { message: string; signature: string } | { transaction: string }

/** The wallet has a different account open. */
export class OtherAccount extends Error {}

const READY = "wallet-standard:app-ready"
const REGISTER = "wallet-standard:register-wallet"

type Register = { register(...wallets: Wallet[]): () => void }

/** Calls `onChange` with the wallets that can sign for Solana, now and after each change, until stopped. */
export function watchWallets(onChange: (wallets: readonly Wallet[]) => void): () => void {
  const found = new Set<Wallet>()
  const notify = () => onChange([...found].filter(canSign))
  const api: Register = Object.freeze({
    register(...wallets: Wallet[]) {
      for (const wallet of wallets) found.add(wallet)
      notify()
      return () => {
        for (const wallet of wallets) found.delete(wallet)
        notify()
      }
    },
  })
  // Installed wallets answer the READY event. Later ones send REGISTER themselves.
  const welcome = ({ detail: register }: Event & { detail?: (api: Register) => void }) => register?.(api)
  window.addEventListener(REGISTER, welcome)
  window.dispatchEvent(new CustomEvent(READY, { detail: api }))
  return () => window.removeEventListener(REGISTER, welcome)
}

function canSign({ chains, features }: Wallet): boolean {
  if (!chains.some((chain) => chain.startsWith("solana:"))) return false
  return Boolean(
    features["solana:signIn"] ??
      (features["standard:connect"] &&
        (features["solana:signMessage"] ??
          features["solana:signOffchainMessage"] ??
          features["solana:signTransaction"])),
  )
}

/** The account with this address. Null if the wallet shows accounts only when it signs in. Throws OtherAccount. */
export async function accountIn({ accounts, features }: Wallet, address: string): Promise<Account | null> {
  const isAsked = (account: Account) => account.address === address
  const known = accounts?.find(isAsked)
  if (known ?? !features["standard:connect"]) return known ?? null
  const found = (await features["standard:connect"]!.connect()).accounts.find(isAsked)
  if (found === undefined) throw new OtherAccount()
  return found
}

/** A way to sign. The last one, a transaction that is never sent, needs an explanation first. */
export type Way = "signIn" | "signMessage" | "signOffchainMessage" | "signTransaction"

/**
 * The ways in which an account can sign, best first. The account's own features decide: the wallet lists what any of
 * its accounts can do, and a hardware wallet often does less.
 */
export function waysOf({ features }: Wallet, account: Account | null): Way[] {
  if (account === null) return ["signIn"]
  const listed = listedBy(account, features)
  const can = (feature: keyof Features) => Boolean(features[feature]) && listed.includes(feature)
  const signsMessages = Boolean(features["solana:signMessage"]) && signsPlainly(listed)
  const signsOffchain = can("solana:signOffchainMessage")
  // Accounts may omit signIn from their list. It needs the same ability as signMessage.
  const signsIn =
    can("solana:signIn") || signsPlainly(listed) || (listed.includes(OFFCHAIN) && signsInOffchain(features))
  const isVersion1 = features[OFFCHAIN]?.supportedMessageVersions.includes(1)
  return [
    ...(features["solana:signIn"] && signsIn ? ["signIn" as const] : []),
    ...(signsMessages ? ["signMessage" as const] : []),
    ...(signsOffchain && isVersion1 ? ["signOffchainMessage" as const] : []),
    ...(can("solana:signTransaction") ? ["signTransaction" as const] : []),
  ]
}

const OFFCHAIN = "solana:signOffchainMessage"

/** What an account can do. If it lists nothing, it can do what its wallet can. */
const listedBy = (account: Account, features: Features): readonly string[] =>
  account.features.length > 0 ? account.features : Object.keys(features)

/** Backpack's accounts use the feature's older name. */
const signsPlainly = (listed: readonly string[]): boolean =>
  listed.includes("solana:signMessage") || listed.includes("standard:signMessage")

/**
 * Since 1.1, a wallet can wrap the sign-in text for a hardware wallet
 * (https://github.com/anza-xyz/wallet-standard/pull/93).
 */
const signsInOffchain = (features: Features): boolean => /^1\.[1-9]/.test(features["solana:signIn"]?.version ?? "")

/** Asks the wallet for its signature. Throws its error if the owner declines or it cannot sign this way. */
export async function signWith(
  { features }: Wallet,
  account: Account | null,
  way: Way,
  { input, text, transaction }: SignInRequest,
): Promise<Proof> {
  switch (way) {
    case "signIn": {
      const isPlain = account === null || signsPlainly(listedBy(account, features))
      const wrapped = !isPlain && signsInOffchain(features)
      return proofOf(
        await features["solana:signIn"]!.signIn(
          wrapped ? { ...input, useOffchainMessage: { messageVersion: 1 } } : input,
        ),
      )
    }
    case "signMessage":
      return proofOf(
        await features["solana:signMessage"]!.signMessage({
          account: account!,
          message: new TextEncoder().encode(text),
        }),
      )
    case "signOffchainMessage": {
      const signed = await features["solana:signOffchainMessage"]!.signOffchainMessage({
        messageVersion: 1,
        account: account!,
        message: text,
        requiredSigners: [account!.publicKey],
      })
      return proofOf(signed.map((one) => ({ ...one, signedMessage: one.signedOffchainMessage })))
    }
    case "signTransaction": {
      const wire = Uint8Array.from(atob(transaction), (char) => char.charCodeAt(0))
      const [signed] = await features["solana:signTransaction"]!.signTransaction({
        account: account!,
        transaction: wire,
      })
      return { transaction: toBase64(signed!.signedTransaction) }
    }
  }
}

function proofOf([signed]: readonly Signed[]): Proof {
  return { message: toBase64(signed!.signedMessage), signature: toBase64(signed!.signature) }
}

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
