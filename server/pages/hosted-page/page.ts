import { attributes, type Html, html } from "#server/lib/html.ts"
import { surfaces } from "#shared/contrast.ts"
import { directionOf, isLanguage, languageCodes, languages } from "#shared/languages.ts"
import { script, style } from "./assets.ts"
import { brandStyle, companyMark, icon, questions, spinner, vouch } from "./parts.ts"
import { emblems, render, type Shown } from "./states.ts"
import type { Words } from "./words.ts"

type RenderPageOptions = { shown: Shown; words: Words; address: string; nonce: string }

/**
 * The whole hosted page for a session's state. It is complete without the script, which only polls the session and
 * sends the forms. `address` is the page's own, for opening it on another device. `nonce` is the one in the response's
 * policy.
 */
export function renderPage({ shown, words, address, nonce }: RenderPageOptions): string {
  const { mood, heading, news, content } = render(shown, words, address)
  const isKnown = shown.state !== "unknown" && shown.state !== "failed"
  const emblem = emblems[mood]
  const main = attributes({ "data-news": news, "data-view": JSON.stringify(shown) })
  return html`<!doctype html>
<html lang="${words.code}" dir="${directionOf(words.code)}" data-locale="${words.locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${heading}${isKnown && ` · ${shown.company}`} · Vouch</title>
<meta name="robots" content="noindex, nofollow, nocache">
<meta name="referrer" content="no-referrer">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="${surfaces.light}">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="${surfaces.dark}">
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<style>${style}${isKnown && brandStyle(shown.brand.color)}</style>
<noscript><style>.js{display:none!important}</style></noscript>
</head>
<body>
<p role="status" class="sr" id="news">${news}</p>
<div class="page" id="page">
<header>${isKnown ? companyMark(shown) : vouch}${isKnown && shown.mode === "test" && html`<span class="badge">${words.testMode}</span>`}</header>
<main${main}>
${steps(shown, words)}
${emblem !== undefined && html`<div class="emblem ${mood}">${emblem === null ? spinner : icon(emblem)}</div>`}
<h1 tabindex="-1">${heading}</h1>
${content}
${isOpen(shown) && html`<noscript><p class="notice">${words.needsScript}</p></noscript>`}
${isUnderWay(shown) && html`<noscript><p class="text">${words.reload}</p></noscript>`}
</main>
<footer>
${languageSwitch(words)}
${isKnown && html`${questions(shown, words)}<p>${words.poweredBy(vouch)}</p>`}
</footer>
</div>
<script nonce="${nonce}">${script}</script>
</body>
</html>
`.text
}

const isOpen = ({ state }: Shown): boolean => state === "open" || state === "handed_over"
const isUnderWay = ({ state }: Shown): boolean => isOpen({ state } as Shown) || state === "checking"

const languageSwitch = ({ code, language }: Words): Html =>
  html`<nav aria-label="${language}"><ul>${languageCodes
    .filter(isLanguage)
    .map(
      (one) =>
        html`<li><a href="?lang=${one}"${attributes({ lang: one, hreflang: one, "aria-current": one === code && "true" })}>${languages[one]}</a></li>`,
    )}</ul></nav>`

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
function steps(shown: Shown, { steps }: Words): Html | null {
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
