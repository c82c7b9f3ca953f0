import type { ProofProblem } from "#shared/wallet-proof.ts"
import { all, call, find, Refusal } from "./dom.ts"
import { isPhone, linkInto, walletApps } from "./wallet-apps.ts"
import { OtherAccount, type SignInRequest, signWith, type Wallet, watchWallets } from "./wallets.ts"

/** A wallet that is there has made itself known by then; one that comes later is shown, too. */
const SETTLED_MS = 1000
const PROOF_TIMEOUT_MS = 20_000

type WalletTexts = {
  choose: string
  sign: string
  approve: string
  phone: string
  openIn: string
  desktop: string
  failures: Record<ProofProblem | "declined" | "otherAccount" | "other", string>
}

/** What ends the step that is on the screen. */
let leaveWalletStep = () => {}

/**
 * Readies the step in which the wallet signs, where the server has rendered it: a button for each wallet of this
 * browser, or what to do where there is none. `onProved` gets the session's next state.
 */
export function prepareWalletStep<View>(onProved: (view: View) => Promise<void>): void {
  leaveWalletStep()
  leaveWalletStep = () => {}
  const section = find(".wallet")
  if (!section) return
  const texts = JSON.parse(section.dataset.texts!) as WalletTexts
  const choices = find("div", section)!
  const status = find(".asking", section)!
  const failure = find(".failure", section)!
  let wallets: readonly Wallet[] = []
  let isSettled = false
  let isAsking = false

  async function sign(wallet: Wallet): Promise<void> {
    if (isAsking) return
    failure.textContent = ""
    setAsking(wallet)
    try {
      const request = await call<SignInRequest>("askForProof", {}, PROOF_TIMEOUT_MS)
      const signed = await signWith(wallet, request).catch((error) => {
        const why = error instanceof OtherAccount ? "otherAccount" : "declined"
        failure.textContent = naming(texts.failures[why], wallet.name)
        return null
      })
      if (signed !== null) {
        const input = { message: toBase64(signed.signedMessage), signature: toBase64(signed.signature) }
        await onProved(await call<View>("proveWallet", input, PROOF_TIMEOUT_MS))
      }
    } catch (error) {
      failure.textContent = explain(error)
    }
    setAsking(null)
  }

  function explain(error: unknown): string {
    const { failures } = texts
    const isRefused = error instanceof Refusal && error.code === "wallet_proof_refused"
    return (isRefused && failures[error.detail.split(":")[0] as ProofProblem]) || failures.other
  }

  function setAsking(wallet: Wallet | null): void {
    isAsking = wallet !== null
    status.textContent = wallet === null ? "" : naming(texts.approve, wallet.name)
    for (const button of all("button", choices)) button.setAttribute("aria-disabled", String(isAsking))
  }

  function draw(): void {
    if (isAsking) return
    if (wallets.length > 1)
      choices.replaceChildren(
        made("p", {}, texts.choose),
        listOf(wallets.map((wallet) => buttonOf(wallet, ""))),
      )
    else if (wallets[0]) choices.replaceChildren(buttonOf(wallets[0], "primary"))
    else if (!isSettled) choices.replaceChildren()
    else if (isPhone(navigator))
      choices.replaceChildren(made("p", {}, texts.phone), listOf(walletApps.map(linkOf)))
    else {
      // The wallet may be on a phone, whose camera reads the address.
      const { content } = find<HTMLTemplateElement>("template", section!)!
      choices.replaceChildren(made("p", {}, texts.desktop), document.importNode(content, true))
    }
  }

  function buttonOf(wallet: Wallet, look: "primary" | ""): HTMLElement {
    const button = made("button", { type: "button", class: `button ${look}` })
    // Extensions say what their icon is: nothing is loaded for it.
    if (wallet.icon.startsWith("data:image/")) button.append(made("img", { src: wallet.icon, alt: "" }))
    button.append(naming(texts.sign, wallet.name))
    button.addEventListener("click", () => void sign(wallet))
    return button
  }

  const linkOf = (app: (typeof walletApps)[number]): HTMLElement =>
    made(
      "a",
      { href: linkInto(app, location.href), class: "button", rel: "noreferrer" },
      naming(texts.openIn, app.name),
    )

  const stop = watchWallets((found) => {
    wallets = found
    draw()
  })
  const timer = setTimeout(() => {
    isSettled = true
    draw()
  }, SETTLED_MS)
  leaveWalletStep = () => {
    clearTimeout(timer)
    stop()
  }
}

const naming = (text: string, wallet: string): string => text.replaceAll("{wallet}", wallet)

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

const listOf = (items: HTMLElement[]): HTMLElement =>
  made("ul", {}, ...items.map((item) => made("li", {}, item)))

function made(name: string, attributes: Record<string, string>, ...children: (Node | string)[]): HTMLElement {
  const element = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value)
  element.append(...children)
  return element
}
