import type { SessionView } from "#server/domain/kyc/hosted-page/view.ts"
import { timeFormat } from "#shared/time-format.ts"
import type { Shown } from "../states.ts"
import { answersIn, keep, keptName, restoreAnswers } from "./answers.ts"
import { returnSoon, stay } from "./back.ts"
import { all, attempt, call, find, lang, locale, Refusal, timeout } from "./dom.ts"
import { type Control, copy, setBusy, setProblem } from "./fields.ts"
import { prepareWalletStep } from "./wallet-step.ts"

// What the hosted page does in a browser: it follows its session, shows what the server renders of it, and sends the
// forms.

const QUICK_MS = 700
/** The provider may decide at any moment: a page is at most three seconds behind. */
const SLOW_MS = 2000
/** How long a check is followed closely; what takes longer than this is waited for. */
const QUICK_FOR_MS = 30_000
const LOOK_TIMEOUT_MS = 10_000
/** Longer than the server waits for the provider. */
const SEND_TIMEOUT_MS = 35_000

/** What is on the screen. */
let shown = JSON.parse(find("main")?.dataset.view ?? "null") as Shown
let isLost = false
let timer: number | undefined
/** Answers to anything but the latest question are old news. */
let turn = 0
let checkingSince: number | null = null

/** Asks how the session is, and shows it. Nobody asks for a page that is not seen. */
async function look(): Promise<void> {
  clearTimeout(timer)
  if (document.hidden) return
  const mine = ++turn
  try {
    const view = await call<SessionView>("view", {}, LOOK_TIMEOUT_MS)
    if (mine !== turn) return
    setLost(false)
    await take(view)
  } catch {
    if (mine !== turn) return
    setLost(true)
  }
  schedule()
}

/** Shows a state of the session, where it is not what is shown: the server renders it, in the page's language. */
async function take(view: SessionView): Promise<void> {
  if (JSON.stringify(view) === JSON.stringify(shown)) return
  const mine = ++turn
  const response = await fetch(location.href, {
    headers: { accept: "text/html" },
    signal: timeout(LOOK_TIMEOUT_MS),
  })
  const page = new DOMParser().parseFromString(await response.text(), "text/html")
  const next = find("#page", page)
  if (mine !== turn || !next || !(response.ok || response.status === 404)) return
  show(next, page.title)
}

/** What was sent has arrived: a page that cannot be fetched just now is fetched with the next look. */
const takeLater = (view: SessionView) => take(view).catch(() => setLost(true))

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

/** What tells whether the same is asked as before. */
const stepOf = (view: Shown) =>
  view.state === "open" ? `open ${view.again} ${view.walletProof} ${view.consented}` : view.state

function setLost(lost: boolean): void {
  isLost = lost
  for (const line of all("[data-lost]")) {
    const text = lost ? line.dataset.lost! : ""
    if (line.textContent !== text) line.textContent = text
  }
}

/** How long to wait before the next look; null where only a return to the page is worth one. */
function pause(): number | null {
  checkingSince = shown.state === "checking" ? (checkingSince ?? performance.now()) : null
  switch (shown.state) {
    case "checking":
      return isLost || performance.now() - checkingSince! > QUICK_FOR_MS ? SLOW_MS : QUICK_MS
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
  if (pause_ms !== null) timer = setTimeout(look, pause_ms) as unknown as number
}

/** Readies what the server has rendered: times in the reader's zone, answers, and the way back. */
function prepare(): void {
  const format = new Intl.DateTimeFormat(locale, timeFormat)
  for (const time of all<HTMLTimeElement>("time")) time.textContent = format.format(new Date(time.dateTime))
  restoreAnswers()
  const isOpen = ["open", "handed_over", "checking", "failed"].includes(shown.state)
  if (!isOpen) attempt(() => sessionStorage.removeItem(keptName))
  setLost(isLost)
  if (find(".staying")) returnSoon()
  prepareWalletStep<SessionView>(takeLater)
}

/** Sends a form once at a time; it stays as it is until it has arrived. */
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
    const does = form.dataset.form!
    if (does === "agree") {
      await takeLater(await call<SessionView>("agree", { consent: true }, SEND_TIMEOUT_MS))
    } else if (does === "proveOnChain") {
      const transaction = String(data.get("transaction")).trim()
      await takeLater(await call<SessionView>("proveOnChain", { transaction }, SEND_TIMEOUT_MS))
    } else if (does === "continue" || does === "renew") {
      const input = does === "continue" ? { consent: true, language: lang } : {}
      const { url, view } = await call<{ url: string | null; view: SessionView }>(does, input, SEND_TIMEOUT_MS)
      // Busy until the other page is there.
      if (url !== null) return location.assign(url)
      await takeLater(view)
    } else if (does === "remind" || does === "stopReminders") {
      const input = does === "remind" ? { email: String(data.get("email")).trim(), language: lang } : {}
      await takeLater(await call<SessionView>(does, input, SEND_TIMEOUT_MS))
    } else {
      const { country, over18, accredited } = answersIn(data)
      const input = { consent: true, country, ageOver18: over18, accredited, decision: data.get("outcome") }
      const view = await call<SessionView>("submit", input, SEND_TIMEOUT_MS)
      keep(data)
      await takeLater(view)
    }
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
// While it is entered, and not once the field is left: a button that moves under the pointer is not clicked.
document.addEventListener("input", ({ target }) => {
  if ((target as Control).dataset.problem) setProblem(target as Control, false)
})
document.addEventListener("click", ({ target }) => {
  const clicked = (target as Element).closest<HTMLElement>("[data-copy],[data-stay],[data-retry],[hreflang]")
  if (!clicked) return
  if (clicked.dataset.copy) void copy(clicked)
  else if (clicked.dataset.retry !== undefined) void look()
  else if (clicked.dataset.stay !== undefined) {
    stay()
    // The button goes, and the focus must not go with it.
    find(".back a")?.focus()
    const announced = find(".back [role=status]")
    if (announced) announced.textContent = ""
  } else {
    // In another language the answers are the same.
    const form = find<HTMLFormElement>("[data-form=submit]")
    if (form) keep(new FormData(form))
  }
})
document.addEventListener("visibilitychange", look)
addEventListener("online", look)
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return
  // "Back" from the provider may show this page as it was left.
  for (const form of all<HTMLFormElement>("form")) setBusy(form, false)
  void look()
})
prepare()
schedule()
