import type { SessionView } from "#domain/kyc"
import { type Html, html } from "#server/lib/html.ts"
import { qrCode } from "#server/lib/qr-code.ts"
import { consentForm, continueForm, onChainForm, sandboxForm } from "./forms.ts"
import { factLines, icon, paragraph, subject } from "./parts.ts"
import type { Words } from "./words.ts"

/**
 * The wallet step. Only the page's script knows the browser's wallets; if there are none, it shows the QR code, or
 * links on a phone.
 */
function walletStep(view: Extract<SessionView, { state: "open" }>, words: Words, address: string): Html[] {
  const { text, signWith, code, onChain, ...said } = words.wallet
  const until = html`<p class="note">${words.openUntil(words.time(view.openUntil))}</p>`
  const wallet = html`<p class="sign-with">${view.provesOnChain ? onChain.wallet : signWith}</p><code class="address">${view.wallet}</code>`
  if (view.provesOnChain)
    return [
      paragraph(onChain.text),
      wallet,
      html`<section class="wallet" data-on-chain="${onChain.notAsked}"><p class="sign-with">${onChain.memo}</p>
<button type="button" class="copy memo" data-copy="" hidden><code class="address"></code><span class="sr">, ${onChain.copy}</span>${icon("copy")}${icon("check")}</button><span role="status" class="sr" data-text="${words.copied}"></span><div role="alert" class="failure"></div></section>`,
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
    paragraph(asks(html`<strong>${company}</strong>`)),
    ...(again
      ? [
          html`<p class="notice">${icon("alert")}<span><strong>${submitAgain}</strong> ${words.reasons[again].why} ${words.reasons[again].next}</span></p>`,
        ]
      : []),
    factLines([
      ...subject(view, words),
      [facts.facts, words.claimed],
      [facts.checkedBy, provider.testOnly ? words.form.sandboxName : provider.label],
      [facts.validFor, words.days(schema.validityDays)],
    ]),
    html`<h2>${stored.heading}</h2>
<ul class="stored">
<li>${icon("lock")}<span><b>${stored.kept.what}</b> ${stored.kept.text}</span></li>
<li>${icon("cross")}<span><b>${stored.never.what}</b> ${stored.never.text}</span></li>
<li>${icon("link")}<span><b>${stored.onChain.what}</b> ${stored.onChain.text}</span></li>
${provider.flow === "redirect" && html`<li>${icon("alert")}<span><b>${stored.provider.what(provider.label)}</b> ${stored.provider.text}</span></li>`}
</ul>`,
    ...(view.walletProof === "needed"
      ? [consentForm(words, company)]
      : provider.flow === "form"
        ? [sandboxForm(view, words)]
        : [
            html`<p class="away muted">${away(provider.label)}</p>`,
            continueForm(words, provider.label, view.consented ? null : company),
          ]),
    html`<p class="note">${words.openUntil(words.time(view.openUntil))}</p>`,
  ]
}
