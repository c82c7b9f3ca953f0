import { find } from "./dom.ts"

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
    return button.replaceWith(whole)
  }
  button.classList.add("copied")
  status.textContent = status.dataset.text ?? ""
  setTimeout(() => {
    button.classList.remove("copied")
    status.textContent = ""
  }, 2000)
}
