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

/** Time for installed wallets to register. A wallet that registers later is shown too. */
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

/** The ways that remain after a wallet did not sign. */
type Next = { wallet: Wallet; account: Account | null; ways: readonly Way[] }

/** Stops watching wallets for the step on the screen. */
let leaveWalletStep = () => {}

/**
 * Prepares the wallet step if the server rendered it: a button for each wallet of this browser, or instructions if it
 * has none. `onProved` gets the session's next state.
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
  /** A wallet is being asked, or the server is. */
  let isAsking = false
  let isSending = false
  let attempt = 0

  /**
   * Resolves with the wallet's answer, unless a newer attempt began in the meantime. Some wallets never answer, for
   * example after their window is closed; a late answer is ignored.
   */
  async function currentAnswer<T>(asked: Promise<T>): Promise<T> {
    const startedIn = attempt
    const isOver = () => startedIn !== attempt
    const never = new Promise<never>(() => {})
    return asked.then(
      (answer) => (isOver() ? never : answer),
      (error) => (isOver() ? never : Promise.reject(error)),
    )
  }

  /** Calls the server. No other attempt can begin until it answers. */
  async function send<T>(procedure: string, input: object): Promise<T> {
    setSending(true)
    return call<T>(procedure, input, PROOF_TIMEOUT_MS).finally(() => setSending(false))
  }

  function setSending(is: boolean): void {
    isSending = is
    for (const button of all("button", choices)) button.setAttribute("aria-disabled", String(is))
  }

  /** Asks for the account, then for a signature in the best way that the account supports. */
  async function begin(wallet: Wallet): Promise<void> {
    await asking(wallet, async () => {
      const account = await currentAnswer(accountIn(wallet, section!.dataset.address!)).catch((error) =>
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
   * Signs in the first way. If the wallet cannot do it, the next way follows immediately. If the owner may have
   * declined, the owner chooses: many wallets report "declined" when a device cannot sign.
   */
  async function sign({ wallet, account, ways }: Next): Promise<void> {
    const [way, ...others] = ways
    const next = { wallet, account, ways: others }
    const request = await send<SignInRequest>("askForProof", {})
    let proof: Proof
    try {
      proof = await currentAnswer(signWith(wallet, account, way!, request))
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
    failure.textContent = withName(texts.failures[why], wallet.name)
  }

  /** Offers the next way, if there is one. The unsent transaction comes with an explanation. */
  function offer({ wallet, account, ways }: Next): void {
    if (ways[0] === undefined) return
    const isUnsent = ways[0] === "signTransaction"
    const label = withName(isUnsent ? texts.signUnsent : texts.otherWay, wallet.name)
    const button = createElement("button", { type: "button", class: "button" }, label)
    button.addEventListener("click", () => void asking(wallet, () => sign({ wallet, account, ways })))
    others.replaceChildren(...(isUnsent ? [createElement("p", {}, withName(texts.unsent, wallet.name))] : []), button)
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
    status.textContent = wallet === null ? "" : withName(texts.approve, wallet.name)
  }

  function draw(): void {
    if (isAsking) return
    if (wallets.length > 1)
      choices.replaceChildren(
        createElement("p", {}, texts.choose),
        createList(wallets.map((wallet) => walletButton(wallet, ""))),
      )
    else if (wallets[0]) choices.replaceChildren(walletButton(wallets[0], "primary"))
    else if (!isSettled) choices.replaceChildren()
    else if (isPhone(navigator))
      choices.replaceChildren(createElement("p", {}, texts.phone), createList(walletApps.map(appLink)))
    else {
      // The wallet may be on a phone, which can scan the address.
      const { content } = find<HTMLTemplateElement>("template", section!)!
      choices.replaceChildren(createElement("p", {}, texts.desktop), document.importNode(content, true))
    }
  }

  function walletButton(wallet: Wallet, look: "primary" | ""): HTMLElement {
    const button = createElement("button", { type: "button", class: `button ${look}` })
    // Only data URIs, so that no icon is loaded from elsewhere.
    if (wallet.icon.startsWith("data:image/")) button.append(createElement("img", { src: wallet.icon, alt: "" }))
    button.append(withName(texts.sign, wallet.name))
    // Ignores the second click of a double click.
    button.addEventListener("click", ({ detail }) => void (detail > 1 || begin(wallet)))
    return button
  }

  const appLink = (app: (typeof walletApps)[number]): HTMLElement =>
    createElement(
      "a",
      { href: linkInto(app, location.href), class: "button", rel: "noreferrer" },
      withName(texts.openIn, app.name),
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

/** A smart wallet signs on chain. Shows its members the memo to send. */
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

const withName = (text: string, wallet: string): string => text.replaceAll("{wallet}", wallet)

/** EIP-1193's code for a refusal, which Solana wallets also use, or a typical message. */
function isDeclined(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  return code === 4001 || /reject|declin|cancel|denied/i.test(String(message))
}

const problemOf = ({ detail }: Refusal) => detail.split(":")[0] as ProofProblem

const isRefused = (error: unknown, problems?: ProofProblem[]): error is Refusal =>
  error instanceof Refusal && error.code === "wallet_proof_refused" && (problems?.includes(problemOf(error)) ?? true)

const createList = (items: HTMLElement[]): HTMLElement =>
  createElement("ul", {}, ...items.map((item) => createElement("li", {}, item)))

function createElement(name: string, attributes: Record<string, string>, ...children: (Node | string)[]): HTMLElement {
  const element = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value)
  element.append(...children)
  return element
}
