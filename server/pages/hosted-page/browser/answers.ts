import { attempt, find, sessionId } from "./dom.ts"

// Submitted answers stay in this tab's session storage until there is a result, so that a second submission starts with
// them. The consent and the result chosen in the sandbox are not kept.
export const keptName = `vouch answers ${sessionId}`
export type Answers = { country: string; over18: boolean; accredited: boolean }

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
