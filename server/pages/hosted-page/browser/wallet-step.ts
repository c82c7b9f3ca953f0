import type { ProofProblem } from "#shared/wallet-proof.ts"
import { all, call, find, Refusal } from "./dom.ts"
import { isPhone, linkInto, walletApps } from "./wallet-apps.ts"
import {
  type Account,
  accountIn,
  OtherAccount,
  type Proof,
  type SignInRequest,
  signWith,
  type Wallet,
  type Way,
  watchWallets,
  waysOf,
} from "./wallets.ts"

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
  otherWay: string
  unsent: string
  signUnsent: string
  failures: Record<ProofProblem | "declined" | "otherAccount" | "cannot" | "other", string>
}

/** What a wallet that did not sign can be asked next. */
type Next = { wallet: Wallet; account: Account | null; ways: readonly Way[] }

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
  if (section.dataset.onChain !== undefined) return void showMemo(section)
  const texts = JSON.parse(section.dataset.texts!) as WalletTexts
  const choices = find("div", section)!
  const status = find(".asking", section)!
  const failure = find(".failure", section)!
  const others = find(".others", section)!
  let wallets: readonly Wallet[] = []
  let isSettled = false
  /** Whether a wallet is asked, or the server. */
  let isAsking = false
  let isSending = false
  let attempt = 0

  /**
   * What a wallet answers, unless the investor goes on with another one, or asks again, before it does: some never answer,
   * as when their window is closed. What it answers after that counts for nothing.
   */
  async function answerOf<T>(asked: Promise<T>): Promise<T> {
    const mine = attempt
    const isOver = () => mine !== attempt
    const never = new Promise<never>(() => {})
    return asked.then(
      (answer) => (isOver() ? never : answer),
      (error) => (isOver() ? never : Promise.reject(error)),
    )
  }

  /** Asks the server. No other attempt begins until it answers. */
  async function send<T>(procedure: string, input: object): Promise<T> {
    setSending(true)
    return call<T>(procedure, input, PROOF_TIMEOUT_MS).finally(() => setSending(false))
  }

  function setSending(is: boolean): void {
    isSending = is
    for (const button of all("button", choices)) button.setAttribute("aria-disabled", String(is))
  }

  /** Asks for the account, and then for a signature in the best way that the account has. */
  async function begin(wallet: Wallet): Promise<void> {
    await asking(wallet, async () => {
      const account = await answerOf(accountIn(wallet, section!.dataset.address!)).catch((error) =>
        fail(error instanceof OtherAccount ? "otherAccount" : "declined", wallet),
      )
      if (account === undefined) return
      const ways = waysOf(wallet, account)
      if (ways.length === 0) fail("cannot", wallet)
      else if (ways[0] === "signTransaction") offer({ wallet, account, ways })
      else await sign({ wallet, account, ways })
    })
  }

  /**
   * Signs in the first way. What a wallet cannot do, it is not asked twice; where its owner may have declined, which many
   * report of a device that cannot sign as well, the next way is theirs to choose.
   */
  async function sign({ wallet, account, ways }: Next): Promise<void> {
    const [way, ...others] = ways
    const next = { wallet, account, ways: others }
    const request = await send<SignInRequest>("askForProof", {})
    let proof: Proof
    try {
      proof = await answerOf(signWith(wallet, account, way!, request))
    } catch (error) {
      if (!isDeclined(error) && others[0] && others[0] !== "signTransaction") return sign(next)
      fail(isDeclined(error) || others[0] === undefined ? "declined" : "cannot", wallet)
      return offer(next)
    }
    try {
      await onProved(await send<View>("proveWallet", proof))
    } catch (error) {
      failure.textContent = explain(error)
      if (isRefused(error, ["message", "signature"])) offer(next)
    }
  }

  function fail(why: "declined" | "otherAccount" | "cannot", wallet: Wallet): undefined {
    failure.textContent = naming(texts.failures[why], wallet.name)
  }

  /** Offers the next way, if there is one; the last one is explained before it is taken. */
  function offer({ wallet, account, ways }: Next): void {
    if (ways[0] === undefined) return
    const isUnsent = ways[0] === "signTransaction"
    const label = naming(isUnsent ? texts.signUnsent : texts.otherWay, wallet.name)
    const button = made("button", { type: "button", class: "button" }, label)
    button.addEventListener("click", () => void asking(wallet, () => sign({ wallet, account, ways })))
    others.replaceChildren(...(isUnsent ? [made("p", {}, naming(texts.unsent, wallet.name))] : []), button)
    button.focus()
  }

  async function asking(wallet: Wallet, ask: () => Promise<void>): Promise<void> {
    if (isSending) return
    attempt += 1
    failure.textContent = ""
    others.replaceChildren()
    setAsking(wallet)
    try {
      await ask()
    } catch (error) {
      failure.textContent = explain(error)
    }
    setAsking(null)
  }

  function explain(error: unknown): string {
    const { failures } = texts
    return (isRefused(error) && failures[problemOf(error)]) || failures.other
  }

  function setAsking(wallet: Wallet | null): void {
    isAsking = wallet !== null
    status.textContent = wallet === null ? "" : naming(texts.approve, wallet.name)
  }

  function draw(): void {
    if (isAsking) return
    if (wallets.length > 1)
      choices.replaceChildren(made("p", {}, texts.choose), listOf(wallets.map((wallet) => buttonOf(wallet, ""))))
    else if (wallets[0]) choices.replaceChildren(buttonOf(wallets[0], "primary"))
    else if (!isSettled) choices.replaceChildren()
    else if (isPhone(navigator)) choices.replaceChildren(made("p", {}, texts.phone), listOf(walletApps.map(linkOf)))
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
    // The second click of a double click asks for nothing.
    button.addEventListener("click", ({ detail }) => void (detail > 1 || begin(wallet)))
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

/** A smart wallet signs on chain: its members are shown the memo to send. */
async function showMemo(section: HTMLElement): Promise<void> {
  const button = find("[data-copy]", section)!
  try {
    const { memo } = await call<{ memo: string }>("askForProof", {}, PROOF_TIMEOUT_MS)
    button.dataset.copy = memo
    find("code", button)!.textContent = memo
    button.hidden = false
  } catch {
    find(".failure", section)!.textContent = section.dataset.onChain!
  }
}

const naming = (text: string, wallet: string): string => text.replaceAll("{wallet}", wallet)

/** By the code of the wallet standard's forerunners (EIP-1193), or by its words. */
function isDeclined(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  return code === 4001 || /reject|declin|cancel|denied/i.test(String(message))
}

const problemOf = ({ detail }: Refusal) => detail.split(":")[0] as ProofProblem

const isRefused = (error: unknown, problems?: ProofProblem[]): error is Refusal =>
  error instanceof Refusal && error.code === "wallet_proof_refused" && (problems?.includes(problemOf(error)) ?? true)

const listOf = (items: HTMLElement[]): HTMLElement => made("ul", {}, ...items.map((item) => made("li", {}, item)))

function made(name: string, attributes: Record<string, string>, ...children: (Node | string)[]): HTMLElement {
  const element = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value)
  element.append(...children)
  return element
}
