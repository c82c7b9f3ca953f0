import type { Page } from "@playwright/test"
import { renderPage } from "../server/pages/hosted-page/page.ts"
import type { Shown } from "../server/pages/hosted-page/states.ts"
import { wordsIn } from "../server/pages/hosted-page/words.ts"
import type { Language } from "../shared/languages.ts"
import { unlessCancelled } from "./answers.ts"

/**
 * Renders another state at a session's address, as the server would: a state that takes a year to reach, or a server
 * error.
 */
export async function showInstead(
  page: Page,
  url: string,
  // biome-ignore lint/suspicious/noExplicitAny: the facts of one state are changed to another's
  change: (view: any) => Shown,
  { status = 200, language = "en" as Language, while: goesOn = (): boolean => true } = {},
): Promise<void> {
  await page.route(url, (route) =>
    unlessCancelled(async () => {
      if (!goesOn()) return route.continue()
      const response = await route.fetch()
      const [, shown] = /data-view="([^"]*)"/.exec(await response.text())!
      const view = JSON.parse(shown!.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&"))
      const [, nonce] = /'nonce-([^']+)'/.exec(response.headers()["content-security-policy"]!)!
      const body = renderPage({ shown: change(view), words: wordsIn(language), address: url, nonce: nonce! })
      await route.fulfill({ response, status, body })
    }),
  )
}
