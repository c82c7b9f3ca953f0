import type { SessionView } from "#domain/kyc"
import { attributes, type Html, html } from "#server/lib/html.ts"
import type { IconName } from "#shared/icons.ts"
import type { PublicReason } from "#shared/public-reasons.ts"
import { continueForm, form, open } from "./forms.ts"
import {
  copyable,
  factLines,
  type Known,
  leftToRight,
  lost,
  named,
  paragraph,
  problem,
  send,
  subject,
} from "./parts.ts"
import type { Words } from "./words.ts"

type In<State extends SessionView["state"]> = Extract<SessionView, { state: State }>
/** A session's state, or `failed` if the session could not be read. */
export type Shown = SessionView | { state: "failed" }

type Mood = "asking" | "working" | "good" | "bad" | "over" | "unknown" | "lost"

/** The emblem of a mood: an icon, a spinner (null), or none (undefined). */
export const emblems: Record<Mood, IconName | null | undefined> = {
  asking: undefined,
  working: null,
  good: "check",
  bad: "cross",
  over: "clock",
  unknown: "question",
  lost: "alert",
}

type Rendered = {
  mood: Mood
  heading: string
  /** For screen readers, when the state changes. Sighted readers see the heading. */
  news: string
  content: Html | readonly Html[]
}

/** The content of a state. `address` is the page's own. */
export function render(shown: Shown, words: Words, address: string): Rendered {
  switch (shown.state) {
    case "unknown": {
      const { heading, text, next } = words.unknown
      return { mood: "unknown", heading, news: "", content: [paragraph(text), paragraph(next)] }
    }
    case "failed": {
      const { heading, text, retry } = words.failed
      const button = html`<button type="button" class="button primary js" data-retry>${retry}</button>`
      return { mood: "lost", heading, news: text, content: [paragraph(text), button] }
    }
    case "open": {
      const isSigning = shown.walletProof === "needed" && shown.consented
      return {
        mood: "asking",
        heading: isSigning ? words.wallet.heading : words.open.heading,
        news: shown.again && !isSigning ? words.open.news : "",
        content: open(shown, words, address),
      }
    }
    case "handed_over":
      return handedOver(shown, words)
    case "checking":
      return checking(shown, words)
    case "verified":
      return verified(shown, words)
    case "renewal":
      return { mood: "over", heading: words.renewal.heading, news: "", content: renewal(shown, words) }
    case "rejected":
    case "expired":
      return ended(shown, words)
  }
}

/** At the provider, or back from it: the result may be on its way, or the check may be unfinished. */
function handedOver(view: In<"handed_over">, words: Words): Rendered {
  const { label } = view.provider
  const { heading, news, finished, unfinished } = words.handedOver
  return {
    mood: "working",
    heading,
    news,
    content: [
      paragraph(finished(named(label))),
      paragraph(unfinished),
      factLines([...subject(view, words), [words.facts.checkedBy, named(label)]]),
      lost(words),
      continueForm(words, label, null),
      html`<p class="note">${words.openUntil(words.time(view.openUntil))}</p>`,
    ],
  }
}

function checking(view: In<"checking">, words: Words): Rendered {
  const { heading, news, text, reviewNews, reviewText } = words.checking
  return {
    mood: "working",
    heading,
    news: view.inReview ? reviewNews : news,
    content: [
      paragraph(view.inReview ? reviewText : text),
      factLines([...subject(view, words), [words.facts.requestedBy, named(view.company)]]),
      lost(words),
    ],
  }
}

const networks: Record<string, { name: string; explorer: string }> = {
  "mainnet-beta": { name: "Solana mainnet", explorer: "" },
  devnet: { name: "Solana devnet", explorer: "?cluster=devnet" },
  testnet: { name: "Solana testnet", explorer: "?cluster=testnet" },
}

function verified(view: In<"verified">, words: Words): Rendered {
  const { heading, news, text, explorer } = words.verified
  const { facts } = words
  const network = networks[view.cluster ?? ""]
  const name = view.cluster === "localnet" ? words.localNetwork : (view.cluster ?? "Solana")
  return {
    mood: "good",
    heading,
    news,
    content: [
      paragraph(text(named(view.company))),
      factLines([
        ...subject(view, words),
        [facts.validUntil, words.time(view.expiresAt)],
        [facts.transaction, copyable(words, view.onchainTx, words.copyTransaction)],
        [facts.network, network?.name ?? name],
      ]),
      ...(network
        ? [
            html`<a class="link" href="https://explorer.solana.com/tx/${view.onchainTx}${network.explorer}" rel="noreferrer noopener" target="_blank">${explorer}</a>`,
          ]
        : []),
      ...remind(view, words),
      // Not automatic while the investor may be entering an email address.
      ...back(view, words, view.reminder !== "offered"),
    ],
  }
}

/** Reasons after which the investor can do better. For all others, only the company can say more. */
const advises: ReadonlySet<PublicReason> = new Set(["documents_unreadable", "information_mismatch"])

/** Rejected, revoked, cancelled or expired: what happened, why, and what to do now. */
function ended(view: In<"rejected"> | In<"expired">, words: Words): Rendered {
  const { kind, isNews } = endOf(view)
  const { heading, news, happened, next } = words[kind]
  return {
    mood: view.state === "rejected" ? "bad" : "over",
    heading,
    news,
    content: [
      paragraph(happened(named(view.company))),
      ...(view.state === "rejected"
        ? [html`<dl class="reason"><dt>${words.facts.reason}</dt><dd>${words.reasons[view.reason].why}</dd></dl>`]
        : []),
      html`<h2>${words.whatYouCanDo}</h2>`,
      paragraph(next(named(view.company))),
      ...(kind === "rejected" && view.state === "rejected" && advises.has(view.reason)
        ? [paragraph(words.reasons[view.reason].next)]
        : []),
      factLines([...subject(view, words), [words.facts.requestedBy, named(view.company)]]),
      ...back(view, words, isNews),
    ],
  }
}

/** `isNews`: it ended on this page or shortly before. Otherwise the investor came to read about it. */
function endOf(view: In<"rejected"> | In<"expired">) {
  if (view.state === "rejected") {
    switch (view.was) {
      case "verified":
        return { kind: "revoked", isNews: false } as const
      case "cancelled":
        return { kind: "cancelled", isNews: true } as const
      case "pending":
        return { kind: "rejected", isNews: true } as const
    }
  }
  switch (view.was) {
    case "verified":
      return { kind: "expired", isNews: false } as const
    case "superseded":
      return { kind: "superseded", isNews: false } as const
    case "open":
      return { kind: "closed", isNews: true } as const
  }
}

/** A link back to the company's site. If automatic, the page returns after a few seconds unless the investor stays. */
function back({ returnUrl }: Known, { back }: Words, isAutomatic: boolean): Html[] {
  if (returnUrl === null) return []
  // The whole host: its end shows where the link leads.
  const { host } = new URL(returnUrl)
  const stay = html`<p role="status" class="sr" data-text="${back.announced(host)}"></p><div class="staying" hidden><span aria-hidden="true" data-text="${back.counting}"></span><button type="button" class="button" data-stay>${back.stay}</button></div>`
  return [
    html`<div class="back"><a class="button primary" href="${returnUrl}" rel="noreferrer"><span>${back.link(leftToRight(host))}</span></a>${isAutomatic && stay}</div>`,
  ]
}

/** The page behind a reminder's link: what expires when, and the button to renew it. */
function renewal(view: In<"renewal">, words: Words): Html[] {
  const { text, over, start, notStarted, stop, stopped, notStopped } = words.renewal
  return [
    paragraph((view.isOver ? over : text)(named(view.company))),
    factLines([
      ...subject(view, words),
      [words.facts.requestedBy, named(view.company)],
      [words.facts.validUntil, words.time(view.expiresAt)],
    ]),
    form("renew", { other: notStarted(view.company) }, send(start)),
    view.isReminded
      ? form(
          "stopReminders",
          { other: notStopped },
          html`<div role="alert" class="failure"></div><button type="submit" class="button js">${stop}</button>`,
        )
      : html`<p class="note">${stopped}</p>`,
  ]
}

/** Asks the investor of a verified wallet where to send a reminder, or confirms that one will be sent. */
function remind({ reminder }: In<"verified">, { remind }: Words): Html[] {
  if (reminder === null) return []
  if (reminder === "set") return [html`<p class="note" role="status">${remind.done}</p>`]
  const input = attributes({
    id: "email",
    name: "email",
    type: "email",
    dir: "ltr",
    class: "entry",
    required: true,
    maxlength: 254,
    autocomplete: "email",
    "data-problem": "email-problem",
  })
  return [
    html`<section class="remind js"><h2>${remind.heading}</h2>${paragraph(remind.text)}${form(
      "remind",
      { validation_failed: remind.missing, other: remind.notSent },
      html`<label for="email">${remind.label}</label><input${input}>${problem("email-problem", remind.missing)}<div role="alert" class="failure"></div><button type="submit" class="button">${remind.submit}</button>`,
    )}</section>`,
  ]
}
