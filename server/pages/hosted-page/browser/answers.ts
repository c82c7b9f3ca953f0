import { attempt, find, sessionId } from "./dom.ts"

// What was submitted is kept, so that another submission need not begin anew: in this tab of the holder's own browser,
// until there is an outcome or the tab is closed. Neither the consent nor the outcome that a test chose is.
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
  // What was entered since counts: a browser may have filled it in again by itself.
  if (country.value !== "") return
  if (kept.country) country.value = kept.country
  find<HTMLInputElement>("[name=over-18]", form)!.checked = kept.over18
  find<HTMLInputElement>("[name=accredited]", form)!.checked = kept.accredited
}
