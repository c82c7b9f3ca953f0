import type { SessionView } from "#domain/kyc"
import { attributes, type Html, html } from "#server/lib/html.ts"
import { qrCode } from "#server/lib/qr-code.ts"
import type { Decision } from "#shared/statuses.ts"
import { checkbox, factLines, icon, named, paragraph, problem, select, send, subject } from "./parts.ts"
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
    html`<b id="consent-name">${consent.label}</b> <span id="consent-text" class="muted">${consent.text(named(company))}</span>`,
  )}</div>${problem("consent-problem", consent.missing)}`

/** The consent alone, if the wallet step follows. */
const consentForm = (words: Words, company: string): Html =>
  form("agree", { other: words.failures.notSentOn }, html`${consent(words, company)}${send(words.open.agree)}`)

/** For the members of a smart wallet: asks which transaction carries the memo. */
function onChainForm({ wallet: { onChain, failures } }: Words): Html {
  const field = attributes({
    id: "transaction",
    dir: "ltr",
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
      provider_unavailable: words.failures.providerUnavailable(provider),
      provider_not_configured: words.failures.providerMissing(provider),
      invalid_public_key: words.failures.notAWallet,
      other: words.failures.notSentOn,
    },
    html`${company !== null && consent(words, company)}${send(words.open.goOn(named(provider)))}`,
  )

const outcomes = [
  "approved",
  "rejected",
  "resubmission_requested",
  "in_review",
  "expired",
] as const satisfies Decision[]

/** The page's own form, for a provider that accepts what the investor enters. */
function sandboxForm({ company, provider, consented }: Extract<SessionView, { state: "open" }>, words: Words): Html {
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
    { validation_failed: failures.refused, invalid_public_key: failures.notAWallet, other: failures.notSent },
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

/** The wallet step. The page's script shows the browser's wallets, or without any the QR code or links. */
function walletStep(view: Extract<SessionView, { state: "open" }>, words: Words, address: string): Html[] {
  const { text, signWith, code, onChain, ...said } = words.wallet
  const until = html`<p class="note">${words.openUntil(words.time(view.openUntil))}</p>`
  const wallet = html`<p class="sign-with">${view.provesOnChain ? onChain.wallet : signWith}</p><code class="address" dir="ltr">${view.wallet}</code>`
  if (view.provesOnChain)
    return [
      paragraph(onChain.text),
      wallet,
      html`<section class="wallet" data-on-chain="${onChain.notAsked}"><p class="sign-with">${onChain.memo}</p>
<button type="button" class="copy memo" data-copy="" hidden><code class="address" dir="ltr"></code><span class="sr">, ${onChain.copy}</span>${icon("copy")}${icon("check")}</button><span role="status" class="sr" data-text="${words.copied}"></span><div role="alert" class="failure"></div></section>`,
      onChainForm(words),
      until,
    ]
  return [
    paragraph(text),
    wallet,
    html`<section class="wallet" data-address="${view.wallet}" data-texts="${JSON.stringify(said)}"><div></div><p role="status" class="asking"></p><div role="alert" class="failure"></div><div class="others"></div><template>${qrCode(address, code)}</template></section>`,
    until,
  ]
}

/**
 * Says who asks, what is checked, by whom, and what is stored, then asks for consent, shows the sandbox's form, or
 * leads to the provider. Once the investor has consented and must still sign: the wallet step.
 */
export function open(view: Extract<SessionView, { state: "open" }>, words: Words, address: string): Html[] {
  if (view.walletProof === "needed" && view.consented) return walletStep(view, words, address)
  const { company, schema, provider, again } = view
  const { facts } = words
  const { asks, submitAgain, stored, away } = words.open
  return [
    paragraph(asks(html`<strong>${named(company)}</strong>`)),
    ...(again
      ? [
          html`<p class="notice">${icon("alert")}<span><strong>${submitAgain}</strong> ${words.reasons[again].why} ${words.reasons[again].next}</span></p>`,
        ]
      : []),
    factLines([
      ...subject(view, words),
      [facts.facts, words.claimed],
      [facts.checkedBy, provider.testOnly ? words.form.sandboxName : named(provider.label)],
      [facts.validFor, words.days(schema.validityDays)],
    ]),
    html`<h2>${stored.heading}</h2>
<ul class="stored">
<li>${icon("lock")}<span><b>${stored.kept.what}</b> ${stored.kept.text}</span></li>
<li>${icon("cross")}<span><b>${stored.never.what}</b> ${stored.never.text}</span></li>
<li>${icon("link")}<span><b>${stored.onChain.what}</b> ${stored.onChain.text}</span></li>
${provider.flow === "redirect" && html`<li>${icon("alert")}<span><b>${stored.provider.what(named(provider.label))}</b> ${stored.provider.text}</span></li>`}
</ul>`,
    ...(view.walletProof === "needed"
      ? [consentForm(words, company)]
      : provider.flow === "form"
        ? [sandboxForm(view, words)]
        : [
            html`<p class="away muted">${away(named(provider.label))}</p>`,
            continueForm(words, provider.label, view.consented ? null : company),
          ]),
    html`<p class="note">${words.openUntil(words.time(view.openUntil))}</p>`,
  ]
}
