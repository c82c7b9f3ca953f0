import type { SessionView } from "#domain/kyc"
import { attributes, type Html, html } from "#server/lib/html.ts"
import { form } from "./forms.ts"
import { factLines, paragraph, problem, send, subject } from "./parts.ts"
import type { Words } from "./words.ts"

type In<State extends SessionView["state"]> = Extract<SessionView, { state: State }>

/** The page behind a reminder's link: what expires when, and the button to renew it. */
export function renewal(view: In<"renewal">, words: Words): Html[] {
  const { text, over, start, notStarted, stop, stopped, notStopped } = words.renewal
  return [
    paragraph(view.isOver ? over(view.company) : text(view.company)),
    factLines([
      ...subject(view, words),
      [words.facts.requestedBy, view.company],
      [words.facts.validUntil, words.time(view.expiresAt)],
    ]),
    form("renew", { other: notStarted(view.company).text }, send(start)),
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
export function remind({ reminder }: In<"verified">, { remind }: Words): Html[] {
  if (reminder === null) return []
  if (reminder === "set") return [html`<p class="note" role="status">${remind.done}</p>`]
  const input = attributes({
    id: "email",
    name: "email",
    type: "email",
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
