import { globSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "@playwright/test"

/** `npm run screenshots` sets the folder. Other runs take no pictures. */
const folder = process.env.VOUCH_SCREENSHOTS

/** The pictures that documents show. */
const shown = new Set(
  globSync(["*.md", "docs/**/*.md"]).flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/screenshots\/([\w-]+)\.png/g)].map(([, picture]) => picture!),
  ),
)

/** Takes a picture of the page if a document shows one with this name. */
export async function takePicture(page: Page, picture: string, { fullPage = true } = {}): Promise<void> {
  if (folder === undefined || !shown.has(picture)) return
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${picture}.png`)
  await page.screenshot({ path, animations: "disabled", caret: "hide", fullPage })
}
