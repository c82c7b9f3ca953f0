import type { SessionView } from "#domain/kyc"
import { timeFormat } from "#shared/time-format.ts"
import type { Shown } from "../states.ts"
import { all, attempt, call, find, lang, locale, Refusal, timeout } from "./dom.ts"
import {
  answersIn,
  type Control,
  copy,
  keep,
  keptName,
  restoreAnswers,
  returnSoon,
  setBusy,
  setProblem,
  stay,
} from "./fields.ts"
import { prepareWalletStep } from "./wallet-step.ts"

// The hosted page's script: it polls the session, shows what the server renders for it, and sends the forms.

const QUICK_MS = 700
/** The provider may decide at any moment, so the page keeps asking. */
const SLOW_MS = 2000
/** How long a check is polled quickly. Checks that take longer are polled slowly. */
const QUICK_FOR_MS = 30_000
const VIEW_TIMEOUT_MS = 10_000
/** Longer than the server waits for the provider. */
const SEND_TIMEOUT_MS = 35_000

let shown = JSON.parse(find("main")?.dataset.view ?? "null") as Shown
let isOffline = false
let timer: number | undefined
/** Counts requests: only the answer to the latest one is used. */
let latestRequest = 0
let checkingSince: number | null = null

/** Reads the session's state and shows it. A hidden page does not poll. */
async function poll(): Promise<void> {
  clearTimeout(timer)
  if (document.hidden) return
  const request = ++latestRequest
  try {
    const view = await call<SessionView>("view", {}, VIEW_TIMEOUT_MS)
    if (request !== latestRequest) return
    setOffline(false)
    await showView(view)
  } catch {
    if (request !== latestRequest) return
    setOffline(true)
  }
  schedule()
}

/** Shows a state if it differs from the one on the screen. The server renders it, in the page's language. */
async function showView(view: SessionView): Promise<void> {
  if (JSON.stringify(view) === JSON.stringify(shown)) return
  const request = ++latestRequest
  const response = await fetch(location.href, { headers: { accept: "text/html" }, signal: timeout(VIEW_TIMEOUT_MS) })
  const page = new DOMParser().parseFromString(await response.text(), "text/html")
  const next = find("#page", page)
  if (request !== latestRequest || !next || !(response.ok || response.status === 404)) return
  show(next, page.title)
}

/** Shows the state after a form was sent. If the page cannot be fetched now, the next poll fetches it. */
const showViewSafely = (view: SessionView) => showView(view).catch(() => setOffline(true))

function show(next: HTMLElement, title: string): void {
  const before = shown
  const main = find("main", next)!
  shown = JSON.parse(main.dataset.view!)
  const isSame = stepOf(before) === stepOf(shown)
  const entered = isSame
    ? all<HTMLInputElement>("[name]").map(({ name, value, checked }) => ({ name, value, checked }))
    : []
  const focused = document.activeElement
  const focusedName = isSame ? focused?.getAttribute("name") : null
  const isFocusLost = focused === null || focused === document.body || find("#page")!.contains(focused)
  stay()
  find("#page")!.replaceWith(document.adoptNode(next))
  document.title = title
  find("#news")!.textContent = main.dataset.news ?? ""
  for (const { name, value, checked } of entered) {
    const control = find<HTMLInputElement>(`[name="${name}"]`)
    if (control) Object.assign(control, control.type === "checkbox" ? { checked } : { value })
  }
  prepare()
  if (!isFocusLost) return
  const again = focusedName ? find(`[name="${focusedName}"]`) : null
  if (again) {
    again.focus()
    return
  }
  if (!isSame) scrollTo(0, 0)
  find("h1")!.focus()
}

/** Identifies what the page asks for: entered values are kept as long as it stays the same. */
const stepOf = (view: Shown) =>
  view.state === "open" ? `open ${view.again} ${view.walletProof} ${view.consented}` : view.state

function setOffline(offline: boolean): void {
  isOffline = offline
  for (const line of all("[data-lost]")) {
    const text = offline ? line.dataset.lost! : ""
    if (line.textContent !== text) line.textContent = text
  }
}

/** How long to wait before the next poll. Null: poll only when the investor returns to the page. */
function pause(): number | null {
  checkingSince = shown.state === "checking" ? (checkingSince ?? performance.now()) : null
  switch (shown.state) {
    case "checking":
      return isOffline || performance.now() - checkingSince! > QUICK_FOR_MS ? SLOW_MS : QUICK_MS
    case "open":
    case "handed_over":
    case "failed":
      return SLOW_MS
    default:
      return null
  }
}

function schedule(): void {
  clearTimeout(timer)
  const pause_ms = pause()
  if (pause_ms !== null) timer = setTimeout(poll, pause_ms) as unknown as number
}

/** Prepares what the server rendered: times in the reader's zone, kept answers, the wallet step, the way back. */
function prepare(): void {
  const format = new Intl.DateTimeFormat(locale, timeFormat)
  for (const time of all<HTMLTimeElement>("time")) {
    time.textContent = format.format(new Date(time.dateTime))
    time.dataset.local = ""
  }
  restoreAnswers()
  const isOpen = ["open", "handed_over", "checking", "failed"].includes(shown.state)
  if (!isOpen) attempt(() => sessionStorage.removeItem(keptName))
  setOffline(isOffline)
  if (find(".staying")) returnSoon()
  prepareWalletStep<SessionView>(showViewSafely)
}

const enteredIn = (data: FormData, name: string) => String(data.get(name)).trim()

/** What each form sends to the procedure of its name. */
const inputs = {
  agree: () => ({ consent: true }),
  proveOnChain: (data: FormData) => ({ transaction: enteredIn(data, "transaction") }),
  continue: () => ({ consent: true, language: lang }),
  renew: () => ({}),
  remind: (data: FormData) => ({ email: enteredIn(data, "email"), language: lang }),
  stopReminders: () => ({}),
  submit(data: FormData) {
    const { country, over18, accredited } = answersIn(data)
    return { consent: true, country, ageOver18: over18, accredited, decision: data.get("outcome") }
  },
}

/** Sends a form, once at a time. The form stays on the screen until the server has accepted it. */
async function send(form: HTMLFormElement): Promise<void> {
  if (form.getAttribute("aria-busy") === "true") return
  const wrong = all<Control>("[data-problem]", form).filter((control) => {
    const isWrong =
      control.type === "checkbox" ? !(control as HTMLInputElement).checked : !control.value || !control.checkValidity()
    setProblem(control, isWrong)
    return isWrong
  })
  const failure = find(".failure", form)!
  failure.textContent = ""
  if (wrong[0]) return wrong[0].focus()
  setBusy(form, true)
  try {
    const data = new FormData(form)
    const does = form.dataset.form as keyof typeof inputs
    const answer = await call<SessionView | { url: string | null; view: SessionView }>(
      does,
      inputs[does](data),
      SEND_TIMEOUT_MS,
    )
    if (does === "submit") keep(data)
    const { url, view } = "view" in answer ? answer : { url: null, view: answer }
    // Stays busy until the other page has loaded.
    if (url !== null) return location.assign(url)
    await showViewSafely(view)
  } catch (error) {
    const failures = JSON.parse(form.dataset.failures!) as Record<string, string>
    const { code, detail } = error instanceof Refusal ? error : { code: "other", detail: "" }
    failure.textContent = failures[detail.split(":")[0]!] ?? failures[code] ?? failures.other!
  }
  setBusy(form, false)
  schedule()
}

document.addEventListener("submit", (event) => {
  const form = event.target as HTMLFormElement
  event.preventDefault()
  void send(form)
})
// On input, not on blur: a button that moves on blur misses its click.
document.addEventListener("input", ({ target }) => {
  if ((target as Control).dataset.problem) setProblem(target as Control, false)
})
document.addEventListener("click", ({ target }) => {
  const clicked = (target as Element).closest<HTMLElement>("[data-copy],[data-stay],[data-retry],[hreflang]")
  if (!clicked) return
  if (clicked.dataset.copy) void copy(clicked)
  else if (clicked.dataset.retry !== undefined) void poll()
  else if (clicked.dataset.stay !== undefined) {
    stay()
    // The button disappears, so the focus moves to the link.
    find(".back a")?.focus()
    const announced = find(".back [role=status]")
    if (announced) announced.textContent = ""
  } else {
    // Keep the answers while the language changes.
    const form = find<HTMLFormElement>("[data-form=submit]")
    if (form) keep(new FormData(form))
  }
})
document.addEventListener("visibilitychange", poll)
addEventListener("online", poll)
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return
  // "Back" from the provider may show this page in an old state.
  for (const form of all<HTMLFormElement>("form")) setBusy(form, false)
  void poll()
})
prepare()
schedule()
