import type { Page } from "@playwright/test"
import type { SigningWallet } from "../test/fixtures/wallet.ts"

type WalletFeature = "solana:signIn" | "solana:signMessage" | "solana:signOffchainMessage" | "solana:signTransaction"

export type InstalledWallet = {
  name: string
  /** The open accounts. The first one signs in. */
  accounts: SigningWallet[]
  /** What the wallet's app can do. */
  can: readonly WalletFeature[]
  /** What its accounts list, if that differs. */
  accountsList?: readonly string[]
  /** The errors that it returns, by feature. */
  fails?: Partial<Record<WalletFeature, { code?: number; message: string }>>
  /** Returns the text that the wallet signs, by default the requested one. Null declines. */
  asked?: (text: string) => string | null | Promise<string | null>
  /** The version of its `solana:signIn`. */
  signInVersion?: "1.0.0" | "1.1.0"
  /** The wallet has no connect feature: it shows its account when it signs in. */
  isHidden?: boolean
  /** The wallet registers later, and does not answer the page's request. */
  isLate?: boolean
}

const ICON = `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="#7b4fb3"/></svg>').toString("base64")}`

/**
 * Installs a wallet into a page before it loads, as an extension does, through the events of the wallet standard.
 * Returns a function that registers a late wallet.
 */
export async function installWallet(page: Page, installed: InstalledWallet): Promise<() => Promise<void>> {
  const { name, accounts, can, accountsList = can, fails = {}, asked = (text) => text } = installed
  const { signInVersion = "1.0.0", isHidden = false, isLate = false } = installed
  const binding = `sign with ${name}`
  // The signed message: these bytes, followed by the text.
  await page.exposeFunction(binding, async (address: string, bytes: string, wanted: string) => {
    const text = await asked(wanted)
    const account = accounts.find((one) => one.address === address)
    if (text === null || account === undefined) return null
    const message = Buffer.concat([Buffer.from(bytes, "base64"), Buffer.from(text)])
    return { message: message.toString("base64"), signature: account.sign(message).toString("base64") }
  })
  const keys = accounts.map(({ address, publicKey }) => ({ address, publicKey: [...publicKey] }))
  const wallet = {
    ...{ name, icon: ICON, can, accountsList, fails, signInVersion, isHidden, isLate, binding, keys },
  }
  await page.addInitScript((wallet) => {
    const { name, icon, can, accountsList, fails, signInVersion, isHidden, isLate, binding, keys } = wallet
    type Signed = { message: string; signature: string } | null
    type Input = Record<string, string> & { resources?: string[]; useOffchainMessage?: object }
    const host = window as unknown as Record<string, unknown>
    const toBytes = (base64: string) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
    const toBase64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes))
    const opened = keys.map(({ address, publicKey }) => ({
      address,
      publicKey: Uint8Array.from(publicKey),
      chains: ["solana:mainnet"],
      features: accountsList,
    }))
    type Opened = (typeof opened)[number]
    const sign = async (feature: keyof typeof fails, account: Opened, bytes: Uint8Array, text: string) => {
      // An account refuses features that it does not list. Signing in needs the same ability as signing a message.
      const isListed = (name: string) => accountsList.includes(name)
      const signsIn = isListed("solana:signMessage") || isListed("standard:signMessage")
      const isAble = isListed(feature) || (signsIn && /:sign(In|Message)$/.test(feature))
      const failure = fails[feature] ?? (isAble ? null : { message: "The account does not support this" })
      if (failure) throw Object.assign(new Error(failure.message), failure)
      const ask = host[binding] as (address: string, bytes: string, text: string) => Promise<Signed>
      const signed = await ask(account.address, toBase64(bytes), text)
      if (!signed) throw Object.assign(new Error("User rejected the request."), { code: 4001 })
      const [signedMessage, signature] = [toBytes(signed.message), toBytes(signed.signature)]
      return { account, signedMessage, signature, signatureType: "ed25519" }
    }
    /** The envelope of an off-chain message, version 1, with one signer. */
    const envelopeFor = ({ publicKey }: Opened) =>
      Uint8Array.from([0xff, ...new TextEncoder().encode("solana offchain"), 1, 1, ...publicKey])
    /** The text that the standard prescribes for an input. */
    const textOf = (input: Input, address: string) => {
      const lines = [
        ["uri", "URI"],
        ["version", "Version"],
        ["chainId", "Chain ID"],
        ["nonce", "Nonce"],
        ["issuedAt", "Issued At"],
        ["expirationTime", "Expiration Time"],
        ["notBefore", "Not Before"],
        ["requestId", "Request ID"],
      ].flatMap(([field, label]) => (input[field!] ? [`${label}: ${input[field!]}`] : []))
      if (input.resources) lines.push("Resources:", ...input.resources.map((resource) => `- ${resource}`))
      const greeting = `${input.domain ?? location.host} wants you to sign in with your Solana account:`
      const statement = input.statement ? `\n\n${input.statement}` : ""
      return `${greeting}\n${input.address ?? address}${statement}\n\n${lines.join("\n")}`
    }
    const none = new Uint8Array()
    const all = {
      "solana:signIn": {
        version: signInVersion,
        signIn: async (input: Input) => {
          const account = opened[0]!
          const prefix = input.useOffchainMessage ? envelopeFor(account) : none
          return [await sign("solana:signIn", account, prefix, textOf(input, account.address))]
        },
      },
      "solana:signMessage": {
        version: "1.0.0",
        signMessage: async ({ account, message }: { account: Opened; message: Uint8Array }) => [
          await sign("solana:signMessage", account, none, new TextDecoder().decode(message)),
        ],
      },
      "solana:signOffchainMessage": {
        version: "1.0.0",
        supportedMessageVersions: [1],
        signOffchainMessage: async (input: {
          account: Opened
          message: unknown
          messageVersion: number
          requiredSigners: Uint8Array[]
        }) => {
          const { account, message, messageVersion, requiredSigners } = input
          const isSole = requiredSigners.length === 1 && String(requiredSigners[0]) === String(account.publicKey)
          if (messageVersion !== 1 || typeof message !== "string" || !isSole) throw new TypeError("Not the standard")
          const { signedMessage, signature } = await sign(
            "solana:signOffchainMessage",
            account,
            envelopeFor(account),
            message,
          )
          return [{ signedOffchainMessage: signedMessage, signature, signatureType: "ed25519" }]
        },
      },
      "solana:signTransaction": {
        version: "1.0.0",
        supportedTransactionVersions: ["legacy", 0],
        signTransaction: async ({ account, transaction }: { account: Opened; transaction: Uint8Array }) => {
          // One signature precedes the message.
          const { signature } = await sign("solana:signTransaction", account, transaction.slice(65), "")
          const signedTransaction = transaction.slice()
          signedTransaction.set(signature, 1)
          return [{ signedTransaction }]
        },
      },
    }
    const standard = {
      version: "1.0.0",
      name,
      icon,
      chains: ["solana:mainnet", "solana:devnet"],
      // Like an extension, it has no accounts before it is connected.
      accounts: [],
      features: {
        ...(!isHidden && {
          "standard:connect": { version: "1.0.0", connect: async () => ({ accounts: opened }) },
        }),
        ...Object.fromEntries(can.map((feature) => [feature, all[feature]])),
      },
    }
    const register = (api: { register(wallet: object): void }) => api.register(standard)
    const announce = () =>
      window.dispatchEvent(new CustomEvent("wallet-standard:register-wallet", { detail: register }))
    if (isLate) {
      host[`announce ${name}`] = announce
      return
    }
    announce()
    window.addEventListener("wallet-standard:app-ready", (event) => register((event as CustomEvent).detail))
  }, wallet)
  return () => page.evaluate((name) => (window as unknown as Record<string, () => void>)[`announce ${name}`]!(), name)
}
