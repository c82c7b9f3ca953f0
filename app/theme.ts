/** The theme of a browser. Without the cookie it follows the system. */
const themes = ["light", "dark"] as const
export type Theme = (typeof themes)[number]

export const THEME_COOKIE = "vouch.theme"

export const asTheme = (value: string | undefined): Theme | undefined => themes.find((theme) => theme === value)
