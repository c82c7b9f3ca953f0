// The page's side of the wallet standard, as far as a signature needs it
// (https://github.com/wallet-standard/wallet-standard, https://github.com/anza-xyz/wallet-standard): some forty lines
// of it, where its packages are as many kilobytes.

type Account = { readonly address: string }
type Signed = { readonly signedMessage: Uint8Array; readonly signature: Uint8Array }

type Features = {
  readonly "standard:connect"?: { connect(): Promise<{ readonly accounts: readonly Account[] }> }
  readonly "solana:signIn"?: { signIn(input: object): Promise<readonly Signed[]> }
  readonly "solana:signMessage"?: {
    signMessage(input: { account: Account; message: Uint8Array }): Promise<readonly Signed[]>
  }
}

/** A wallet of this browser. */
export type Wallet = {
  readonly name: string
  /** A data URI. */
  readonly icon: string
  readonly chains: readonly string[]
  readonly features: Features
}

/** What is to be signed: for wallets that make the text themselves, and for those that sign any. */
export type SignInRequest = { readonly input: { readonly address: string }; readonly text: string }

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
    features["solana:signIn"] ?? (features["solana:signMessage"] && features["standard:connect"]),
  )
}

/** Asks the wallet for its signature. Throws OtherAccount, or whatever a wallet throws whose owner declines. */
export async function signWith({ features }: Wallet, { input, text }: SignInRequest): Promise<Signed> {
  const signed = await (features["solana:signIn"]
    ? features["solana:signIn"].signIn(input)
    : signMessage(features, input.address, text))
  if (signed[0] === undefined) throw new Error("The wallet gave no signature")
  return signed[0]
}

async function signMessage(features: Features, address: string, text: string): Promise<readonly Signed[]> {
  const { accounts } = await features["standard:connect"]!.connect()
  const account = accounts.find((one) => one.address === address)
  if (account === undefined) throw new OtherAccount()
  return features["solana:signMessage"]!.signMessage({ account, message: new TextEncoder().encode(text) })
}
