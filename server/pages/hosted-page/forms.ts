import type { SessionView } from "#domain/kyc"
import { attributes, type Html, html } from "#server/lib/html.ts"
import type { Decision } from "#shared/statuses.ts"
import { checkbox, problem, select, send } from "./parts.ts"
import type { Words } from "./words.ts"

/** A form for the page's script. `failures` maps error codes to texts; `other` is for all remaining codes. */
export const form = (
  does: "agree" | "proveOnChain" | "submit" | "continue" | "remind" | "renew" | "stopReminders",
  failures: Record<string, string>,
  content: Html,
): Html =>
  // `dialog`: without the script nothing is sent, and no answer ends up in an address.
  html`<form method="dialog" novalidate data-form="${does}" data-failures="${JSON.stringify(failures)}">${content}</form>`

const consent = ({ open: { consent } }: Words, company: string): Html =>
  html`<div class="ticks consent">${checkbox(
    "consent",
    attributes({
      required: true,
      "aria-labelledby": "consent-name",
      "aria-describedby": "consent-text",
      "data-problem": "consent-problem",
    }),
    html`<b id="consent-name">${consent.label}</b> <span id="consent-text" class="muted">${consent.text(company)}</span>`,
  )}</div>${problem("consent-problem", consent.missing)}`

/** The consent alone, if the wallet step follows. */
export const consentForm = (words: Words, company: string): Html =>
  form("agree", { other: words.failures.notSentOn }, html`${consent(words, company)}${send(words.open.agree)}`)

/** For the members of a smart wallet: asks which transaction carries the memo. */
export function onChainForm({ wallet: { onChain, failures } }: Words): Html {
  const field = attributes({
    id: "transaction",
    class: "entry",
    name: "transaction",
    required: true,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    pattern: "\\s*[1-9A-HJ-NP-Za-km-z]{64,88}\\s*",
    "data-problem": "transaction-problem",
  })
  return form(
    "proveOnChain",
    {
      ...failures,
      other: onChain.notChecked,
    },
    html`<label for="transaction">${onChain.transaction}</label><input${field}>${problem("transaction-problem", onChain.missing)}${send(onChain.check)}`,
  )
}

/** The button to the provider's page. If consent is missing, it asks first whether `company` may receive the result. */
export const continueForm = (words: Words, provider: string, company: string | null): Html =>
  form(
    "continue",
    {
      provider_unavailable: words.failures.providerUnavailable(provider).text,
      provider_not_configured: words.failures.providerMissing(provider).text,
      invalid_public_key: words.failures.notAWallet,
      other: words.failures.notSentOn,
    },
    html`${company !== null && consent(words, company)}${send(words.open.goOn(provider))}`,
  )

const outcomes = [
  "approved",
  "rejected",
  "resubmission_requested",
  "in_review",
  "expired",
] as const satisfies Decision[]

/** The page's own form, for a provider that accepts what the investor enters. */
export function sandboxForm(
  { company, provider, consented }: Extract<SessionView, { state: "open" }>,
  words: Words,
): Html {
  const { form: texts, failures } = words
  const country = attributes({
    id: "country",
    name: "country",
    required: true,
    autocomplete: "country",
    "data-problem": "country-problem",
  })
  const outcome = html`<label for="outcome">${texts.outcome}</label>${select(
    attributes({ id: "outcome", name: "outcome" }),
    outcomes.map((one) => html`<option value="${one}">${texts.outcomes[one]}</option>`),
  )}`
  return form(
    "submit",
    {
      validation_failed: failures.refused,
      invalid_public_key: failures.notAWallet,
      other: failures.notSent,
    },
    html`<h2>${texts.heading}</h2>
<label for="country">${texts.country}</label>${select(
      country,
      html`<option value="" disabled selected>${texts.chooseCountry}</option>${words.countryOptions}`,
    )}${problem("country-problem", texts.countryMissing)}
<div class="ticks">${checkbox("over-18", null, texts.over18)}${checkbox("accredited", null, texts.accredited)}</div>
${
  provider.testOnly
    ? html`<section class="sandbox" aria-labelledby="sandbox"><h2 id="sandbox">${texts.sandbox}</h2><p>${texts.sandboxText}</p>${outcome}</section>`
    : outcome
}
${!consented && consent(words, company)}${send(texts.submit)}`,
  )
}
