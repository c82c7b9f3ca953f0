/** What a submission said; neither the consent to it nor the outcome that a test chose. */
export type Answers = { country: string; over18: boolean; accredited: boolean }

const nameOf = (sessionId: string) => `vouch answers ${sessionId}`

/**
 * Keeps what was submitted, so that another submission need not begin anew: in this tab of the holder's own browser, until
 * there is an outcome or the tab is closed. A browser that stores nothing keeps nothing.
 */
export function keepAnswers(sessionId: string, answers: Answers): void {
  attempt(() => sessionStorage.setItem(nameOf(sessionId), JSON.stringify(answers)))
}

export const keptAnswers = (sessionId: string): Answers | null =>
  attempt(() => JSON.parse(sessionStorage.getItem(nameOf(sessionId)) ?? "null") as Answers | null) ?? null

export function dropAnswers(sessionId: string): void {
  attempt(() => sessionStorage.removeItem(nameOf(sessionId)))
}

function attempt<T>(use: () => T): T | undefined {
  try {
    return use()
  } catch {
    return undefined
  }
}
