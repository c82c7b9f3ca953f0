import { attempt, find, locale, sessionId } from "./dom.ts"

export type Control = HTMLInputElement | HTMLSelectElement

/** Shows or hides the message that a field is wrong. */
export function setProblem(control: Control, isWrong: boolean): void {
  const id = control.dataset.problem!
  const text = find(`#${id}`)!
  const others = (control.getAttribute("aria-describedby") ?? "").split(" ").filter((one) => one && one !== id)
  const described = isWrong ? [id, ...others] : others
  control.setAttribute("aria-invalid", String(isWrong))
  if (described.length > 0) control.setAttribute("aria-describedby", described.join(" "))
  else control.removeAttribute("aria-describedby")
  text.hidden = !isWrong
}

export function setBusy(form: HTMLFormElement, isBusy: boolean): void {
  form.setAttribute("aria-busy", String(isBusy))
  find("button[type=submit]", form)!.setAttribute("aria-disabled", String(isBusy))
}

export async function copy(button: HTMLElement): Promise<void> {
  const value = button.dataset.copy!
  const status = button.nextElementSibling as HTMLElement
  try {
    await navigator.clipboard.writeText(value)
  } catch {
    // Some browsers in wallets have no clipboard. Show the whole value, so that it can be selected.
    const whole = document.createElement("code")
    whole.textContent = value
    whole.className = "whole"
    whole.dir = "ltr"
    return button.replaceWith(whole)
  }
  button.classList.add("copied")
  status.textContent = status.dataset.text ?? ""
  setTimeout(() => {
    button.classList.remove("copied")
    status.textContent = ""
  }, 2000)
}

// Submitted answers stay in this tab's session storage until there is a result, so that a second submission starts with
// them. The consent and the result chosen in the sandbox are not kept.
export const keptName = `vouch answers ${sessionId}`
type Answers = { country: string; over18: boolean; accredited: boolean }

export const answersIn = (data: FormData): Answers => ({
  country: String(data.get("country") ?? ""),
  over18: data.has("over-18"),
  accredited: data.has("accredited"),
})

export const keep = (data: FormData) => attempt(() => sessionStorage.setItem(keptName, JSON.stringify(answersIn(data))))

export function restoreAnswers(): void {
  const kept = attempt(() => JSON.parse(sessionStorage.getItem(keptName) ?? "null")) as Answers | null | undefined
  const form = find<HTMLFormElement>("[data-form=submit]")
  if (!kept || !form) return
  const country = find<HTMLSelectElement>("#country", form)!
  // The browser may have restored the form itself. What is already entered takes precedence.
  if (country.value !== "") return
  if (kept.country) country.value = kept.country
  find<HTMLInputElement>("[name=over-18]", form)!.checked = kept.over18
  find<HTMLInputElement>("[name=accredited]", form)!.checked = kept.accredited
}

const STAY_SECONDS = 8
let countdown: number | undefined

/** Returns to the company's site after a few seconds, unless the investor stays. */
export function returnSoon(): void {
  const line = find(".staying [data-text]")!
  const announced = find(".back [role=status]")!
  const seconds = new Intl.NumberFormat(locale, { style: "unit", unit: "second", unitDisplay: "long" })
  const say = (place: HTMLElement, left: number) => {
    place.textContent = place.dataset.text!.replace("{time}", seconds.format(left))
  }
  const link = find<HTMLAnchorElement>(".back a")!
  let left = STAY_SECONDS
  say(line, left)
  // Screen readers announce the time once: a countdown would interrupt everything else.
  say(announced, left)
  find(".staying")!.hidden = false
  countdown = setInterval(() => {
    left--
    say(line, left)
    if (left > 0) return
    clearInterval(countdown)
    // Replaces the history entry: otherwise "back" would lead here, and away again.
    location.replace(link.href)
  }, 1000) as unknown as number
}

export function stay(): void {
  clearInterval(countdown)
  find(".staying")?.remove()
}
