// The page's side of the wallet standard, as far as a signature needs it
// (https://github.com/wallet-standard/wallet-standard, https://github.com/anza-xyz/wallet-standard): some hundred lines
// of it, where its packages are as many kilobytes.

export type Account = {
  readonly address: string
  readonly publicKey: Uint8Array
  /** Names of what this account can do: of a hardware wallet, less than its app can. */
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

/** A wallet of this browser. */
export type Wallet = {
  readonly name: string
  /** A data URI. */
  readonly icon: string
  readonly chains: readonly string[]
  /** Accounts that this page may use already. */
  readonly accounts?: readonly Account[]
  readonly features: Features
}

/** What is to be signed: for wallets that make the text themselves, for those that sign any, and for those that sign transactions alone. */
export type SignInRequest = {
  readonly input: { readonly address: string }
  readonly text: string
  /** Base64. */
  readonly transaction: string
}

/** What the server takes as proof, in base64. */
export type Proof = { message: string; signature: string } | { transaction: string }

/** The wallet has another account open than the one that is asked for. */
export class OtherAccount extends Error {}

const READY = "wallet-standard:app-ready"
const REGISTER = "wallet-standard:register-wallet"

type Register = { register(...wallets: Wallet[]): () => void }

/** Tells which wallets of this browser can sign for Solana, now and whenever that changes, until the call that it returns. */
export function watchWallets(onChange: (wallets: readonly Wallet[]) => void): () => void {
  const found = new Set<Wallet>()
  const tell = () => onChange([...found].filter(canSign))
  const api: Register = Object.freeze({
    register(...wallets: Wallet[]) {
      for (const wallet of wallets) found.add(wallet)
      tell()
      return () => {
        for (const wallet of wallets) found.delete(wallet)
        tell()
      }
    },
  })
  // A wallet that is here already hears of the page; one that comes later makes itself known.
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

/** The account that is asked for; null if the wallet shows its accounts only when it signs in. Throws OtherAccount. */
export async function accountIn({ accounts, features }: Wallet, address: string): Promise<Account | null> {
  const isAsked = (account: Account) => account.address === address
  const known = accounts?.find(isAsked)
  if (known ?? !features["standard:connect"]) return known ?? null
  const found = (await features["standard:connect"]!.connect()).accounts.find(isAsked)
  if (found === undefined) throw new OtherAccount()
  return found
}

/** A way to sign. The last one, a transaction that is never sent, is only taken once it was explained. */
export type Way = "signIn" | "signMessage" | "signOffchainMessage" | "signTransaction"

/**
 * The ways in which an account can sign, the best first. The account's own features decide: the wallet's say what its app
 * can do with any account, and a hardware wallet often does less.
 */
export function waysOf({ features }: Wallet, account: Account | null): Way[] {
  if (account === null) return ["signIn"]
  const listed = listedBy(account, features)
  const can = (feature: keyof Features) => Boolean(features[feature]) && listed.includes(feature)
  const signsMessages = Boolean(features["solana:signMessage"]) && signsPlainly(listed)
  const signsOffchain = can("solana:signOffchainMessage")
  // Accounts need not list signing in, which takes what signing a message takes.
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

/** What an account can do. One that says nothing of it can do what its wallet can. */
const listedBy = (account: Account, features: Features): readonly string[] =>
  account.features.length > 0 ? account.features : Object.keys(features)

/** Backpack's accounts call the feature by an older name. */
const signsPlainly = (listed: readonly string[]): boolean =>
  listed.includes("solana:signMessage") || listed.includes("standard:signMessage")

/** From 1.1 on a wallet can wrap what it signs in for a hardware wallet (https://github.com/anza-xyz/wallet-standard/pull/93). */
const signsInOffchain = (features: Features): boolean => /^1\.[1-9]/.test(features["solana:signIn"]?.version ?? "")

/** Asks the wallet for its signature. Throws whatever a wallet throws whose owner declines, or that cannot sign so. */
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
