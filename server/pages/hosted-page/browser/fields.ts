import { find } from "./dom.ts"

export type Control = HTMLInputElement | HTMLSelectElement

/** Says what is wrong with a field, or that nothing is. */
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
    // Some browsers inside of wallets have no clipboard: then there is all of it, to be selected.
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
