import type { Page } from "@playwright/test"
import type { SigningWallet } from "../test/wallet.ts"

export type InstalledWallet = {
  name: string
  /** Whose accounts are open, the first of which signs in. */
  accounts: SigningWallet[]
  /** What it can do. */
  can: "signIn" | "signMessage"
  /** What its owner and itself make of a request; the text, if it is signed as it is. */
  asked?: (text: string) => string | null
  /** Comes by itself, and not when the page asks. */
  isLate?: boolean
}

const ICON = `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="#7b4fb3"/></svg>').toString("base64")}`

/**
 * Installs a wallet into a page, as an extension does: by the events of the wallet standard, before the page is loaded.
 * Returns what makes a late one known.
 */
export async function installWallet(
  page: Page,
  { name, accounts, can, asked = (text) => text, isLate = false }: InstalledWallet,
): Promise<() => Promise<void>> {
  const binding = `sign in ${name}`
  await page.exposeFunction(binding, (address: string, wanted: string) => {
    const text = asked(wanted)
    const account = accounts.find((one) => one.address === address)
    if (text === null || account === undefined) return null
    return { text, signature: account.sign(Buffer.from(text)).toString("base64") }
  })
  const wallet = { name, icon: ICON, can, isLate, binding, addresses: accounts.map(({ address }) => address) }
  await page.addInitScript(({ name, icon, can, isLate, binding, addresses }) => {
    type Signed = { text: string; signature: string } | null
    type Input = Record<string, string> & { resources?: string[] }
    const host = window as unknown as Record<string, unknown>
    const ask = (address: string, text: string) =>
      (host[binding] as (address: string, text: string) => Promise<Signed>)(address, text)
    const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
    const opened = addresses.map((address) => ({
      address,
      publicKey: new Uint8Array(32),
      chains: [],
      features: [],
    }))
    const sign = async (account: (typeof opened)[number], text: string) => {
      const signed = await ask(account.address, text)
      if (!signed) throw Object.assign(new Error("User rejected the request."), { code: 4001 })
      const signedMessage = new TextEncoder().encode(signed.text)
      return [{ account, signedMessage, signature: bytesOf(signed.signature), signatureType: "ed25519" }]
    }
    /** As the standard has a wallet make its text of an input. */
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
    const standard = {
      version: "1.0.0",
      name,
      icon,
      chains: ["solana:mainnet", "solana:devnet"],
      accounts: opened,
      features: {
        "standard:connect": { version: "1.0.0", connect: async () => ({ accounts: opened }) },
        ...(can === "signIn"
          ? {
              "solana:signIn": {
                version: "1.0.0",
                signIn: (input: Input) => sign(opened[0]!, textOf(input, opened[0]!.address)),
              },
            }
          : {
              "solana:signMessage": {
                version: "1.0.0",
                signMessage: ({
                  account,
                  message,
                }: {
                  account: (typeof opened)[number]
                  message: Uint8Array
                }) => sign(account, new TextDecoder().decode(message)),
              },
            }),
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
  return () =>
    page.evaluate((name) => (window as unknown as Record<string, () => void>)[`announce ${name}`]!(), name)
}
