import { api } from "#app/api.ts"
import type { SessionView } from "#server/domain/kyc/hosted-page/view.ts"

const QUICK_MS = 700
/** The provider may decide at any moment: a page is at most three seconds behind. */
const SLOW_MS = 2000
/** How long a check is followed closely; what takes longer than this is waited for. */
const QUICK_FOR_MS = 30_000
const TIMEOUT_MS = 10_000

export type Watched = {
  /** Null until the first answer. */
  view: SessionView | null
  /** Whether the latest attempt to look got no answer. */
  lost: boolean
}

/**
 * Polls a session while something subscribes: often while it is being checked, every few seconds while its form is
 * open, never once it has ended or while the page is hidden, and at once when the page is visible again. A failed
 * poll is retried.
 */
export class SessionWatch {
  readonly #sessionId: string
  #watched: Watched = { view: null, lost: false }
  #onChange = () => {}
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Answers to anything but the latest question are old news. */
  #turn = 0
  #checkingSince: number | null = null

  constructor(sessionId: string) {
    // The server reads no more than this, and no session id is that long.
    this.#sessionId = sessionId.slice(0, 100)
  }

  read = (): Watched => this.#watched

  subscribe = (onChange: () => void): (() => void) => {
    this.#onChange = onChange
    document.addEventListener("visibilitychange", this.look)
    window.addEventListener("online", this.look)
    void this.look()
    return () => {
      this.#onChange = () => {}
      this.#turn++
      clearTimeout(this.#timer)
      document.removeEventListener("visibilitychange", this.look)
      window.removeEventListener("online", this.look)
    }
  }

  look = async (): Promise<void> => {
    clearTimeout(this.#timer)
    if (document.hidden) return
    const turn = ++this.#turn
    const answer = await this.#ask()
    if (turn !== this.#turn) return
    this.#set(answer === null ? { ...this.#watched, lost: true } : { view: answer, lost: false })
  }

  /** Takes over a view that came by another way, such as the answer to a submission. */
  take(view: SessionView): void {
    this.#turn++
    this.#set({ view, lost: false })
  }

  async #ask(): Promise<SessionView | null> {
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS)
      return await api.verification.view.mutate({ sessionId: this.#sessionId }, { signal })
    } catch {
      return null
    }
  }

  #set(watched: Watched): void {
    this.#watched = watched
    const isChecking = watched.view?.state === "checking"
    this.#checkingSince = isChecking ? (this.#checkingSince ?? Date.now()) : null
    clearTimeout(this.#timer)
    const pause_ms = pauseAfter(watched, this.#checkingSince === null ? 0 : Date.now() - this.#checkingSince)
    if (pause_ms !== null) this.#timer = setTimeout(this.look, pause_ms)
    this.#onChange()
  }
}

/** How long to wait before the next look, in milliseconds; null where only a return to the page is worth one. */
function pauseAfter({ view, lost }: Watched, checkingFor_ms: number): number | null {
  if (view === null) return SLOW_MS
  switch (view.state) {
    case "checking":
      return lost || checkingFor_ms > QUICK_FOR_MS ? SLOW_MS : QUICK_MS
    case "open":
    case "handed_over":
      return SLOW_MS
    default:
      return null
  }
}
