import type { PublicReason } from "#shared/public-reasons.ts"

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
