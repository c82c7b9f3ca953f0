import type { PublicReason } from "#shared/public-reasons.ts"
import type { Watched } from "./watch.ts"

export type Mood = "loading" | "asking" | "working" | "good" | "bad" | "over" | "unknown" | "lost"

/** What each state is called, and the sentence that is read out when it comes: the heading alone says it to the eye. */
export function copyFor({ view, lost }: Watched): { heading: string; news: string; mood: Mood } {
  if (view === null) {
    return lost
      ? { heading: "This page could not be loaded", news: "You are offline.", mood: "lost" }
      : { heading: "Loading", news: "", mood: "loading" }
  }
  switch (view.state) {
    case "unknown":
      return { heading: "Unknown session", news: "", mood: "unknown" }
    case "open":
      return {
        heading: "Verify your identity",
        news: view.again ? "Another submission is needed." : "",
        mood: "asking",
      }
    case "handed_over":
      return {
        heading: "Waiting for the result",
        news: "The result will appear here.",
        mood: "working",
      }
    case "checking":
      return {
        heading: "Your verification is being checked",
        news: view.inReview
          ? "A reviewer is checking it. You can close this page."
          : "The result will appear here.",
        mood: "working",
      }
    case "verified":
      return { heading: "Your wallet is verified", news: "Done.", mood: "good" }
    case "rejected":
      return view.was !== "pending"
        ? { heading: "Verification revoked", news: "It is no longer valid.", mood: "bad" }
        : { heading: "Verification rejected", news: "It was not accepted.", mood: "bad" }
    case "expired":
      switch (view.was) {
        case "verified":
          return {
            heading: "Your verification has expired",
            news: "It is no longer valid.",
            mood: "over",
          }
        case "superseded":
          return {
            heading: "Your verification was renewed",
            news: "A newer one replaced it.",
            mood: "over",
          }
        case "open":
          return { heading: "This verification has expired", news: "It is closed.", mood: "over" }
      }
  }
}

type Texts = Record<PublicReason, { why: string; next: string }>

/** What the wallet's holder reads, by language. A code without a text does not compile. */
const texts = {
  en: {
    documents_unreadable: {
      why: "A document could not be read.",
      next: "Use a clear, complete photo of a document that is still valid.",
    },
    information_mismatch: {
      why: "Your details did not match.",
      next: "Enter your details exactly as they appear on your document.",
    },
    not_eligible: {
      why: "You do not meet the requirements of this verification.",
      next: "Ask the company that requested it what they are.",
    },
    withdrawn: {
      why: "The verification was withdrawn.",
      next: "Ask the company that requested it for details.",
    },
    resubmit: {
      why: "Your last submission could not be decided.",
      next: "Check your answers, then submit them again.",
    },
    unverifiable: {
      why: "Your information could not be verified.",
      next: "Ask the company that requested it what to do.",
    },
  },
} as const satisfies Record<string, Texts>

/** The text of a reason in the page's language, which is English for now. */
export const reasonText = (reason: PublicReason): Texts[PublicReason] => texts.en[reason]
