import { createStore } from "#app/components/store.ts"
import { asTheme, THEME_COOKIE } from "./theme.ts"

const SYSTEM = "system"
const YEAR_SECONDS = 365 * 86_400

export const themeChoices = [
  [SYSTEM, "System"],
  ["light", "Light"],
  ["dark", "Dark"],
] as const

const shown = () =>
  typeof document === "undefined" ? SYSTEM : (asTheme(document.documentElement.dataset.theme) ?? SYSTEM)

const choice = createStore<string>(shown())

/** The theme chosen in this browser, or `system`. */
export const useTheme = choice.use

/** Applies the theme at once, and stores it for the server's next page. */
export function chooseTheme(to: string): void {
  const theme = asTheme(to)
  const secure = window.location.protocol === "https:" ? "; Secure" : ""
  // biome-ignore lint/suspicious/noDocumentCookie: the cookie store is not in every browser
  document.cookie = `${THEME_COOKIE}=${theme ?? ""}; Path=/; Max-Age=${theme ? YEAR_SECONDS : 0}; SameSite=Lax${secure}`
  if (theme) document.documentElement.dataset.theme = theme
  else delete document.documentElement.dataset.theme
  choice.set(theme ?? SYSTEM)
}
