import { attributes, type Html, html } from "#server/lib/html.ts"
import { icon } from "./parts.ts"
import type { Shown } from "./states.ts"
import type { Words } from "./words.ts"

type Step = "consent" | "wallet" | "check" | "result"

const stepOf: Record<Exclude<Shown["state"], "unknown" | "failed" | "open" | "renewal">, Step> = {
  handed_over: "check",
  checking: "check",
  verified: "result",
  rejected: "result",
  expired: "result",
}

function openStep({ walletProof, consented }: Extract<Shown, { state: "open" }>): Step {
  if (walletProof === "needed") return consented ? "wallet" : "consent"
  return walletProof === "given" && consented ? "check" : "consent"
}

/** The steps from consent to result, with the current one marked. */
export function steps(shown: Shown, { steps }: Words): Html | null {
  if (shown.state === "unknown" || shown.state === "failed" || shown.state === "renewal") return null
  // The session ended early: its last step is unknown, and it has no result.
  if ("was" in shown && (shown.was === "open" || shown.was === "cancelled")) return null
  const way: Step[] = ["consent", ...(shown.walletProof === "none" ? [] : ["wallet" as const]), "check", "result"]
  const at = way.indexOf(shown.state === "open" ? openStep(shown) : stepOf[shown.state])
  return html`<ol class="steps" aria-label="${steps.label}">${way.map(
    (step, index) =>
      html`<li${attributes({ class: index < at && "done", "aria-current": index === at && "step" })}><span class="mark" aria-hidden="true">${index < at ? icon("check") : index + 1}</span>${steps[step]}${index < at && html`<span class="sr"> (${steps.done})</span>`}</li>`,
  )}</ol>`
}
