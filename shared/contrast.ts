/** A colour as #rrggbb, and what can be read on it: WCAG 2.2, relative luminance and contrast. */
export const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/.test(text)

const WHITE = "#ffffff"
const BLACK = "#000000"

const channels = (color: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))

function luminance(color: string): number {
  const [r, g, b] = channels(color).map((channel) => {
    const value = channel / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
}

/** From 1 (the same) to 21 (black and white). */
export function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light! + 0.05) / (dark! + 0.05)
}

/** White or black, whichever is read better: at least 4.58 on any colour. */
export const inkOn = (color: string): string =>
  contrast(color, WHITE) >= contrast(color, BLACK) ? WHITE : BLACK

/** A colour with some of another in it: 0 is the first, 1 the second. */
function mixed(color: string, other: string, share: number): string {
  const others = channels(other)
  const parts = channels(color).map((channel, index) =>
    Math.round(channel + (others[index]! - channel) * share)
      .toString(16)
      .padStart(2, "0"),
  )
  return `#${parts.join("")}`
}

/** What text needs on its background. */
const TEXT_CONTRAST = 4.5
/** What the edge of a control needs. */
const EDGE_CONTRAST = 3
const STEP = 0.04

/** The colour itself, or the nearest darker or lighter one that can be read as text on a surface. */
function legibleOn(surface: string, color: string): string {
  const towards = inkOn(surface)
  for (let share = 0; share < 1; share += STEP) {
    const tried = mixed(color, towards, share)
    if (contrast(tried, surface) >= TEXT_CONTRAST) return tried
  }
  return towards
}

export type BrandColors = {
  /** A button in the very colour, its text, and the same under the pointer. */
  button: string
  buttonInk: string
  buttonStrong: string
  /** Whether the button needs a line around it to be seen. */
  needsEdge: boolean
  /** For text and marks on the surface, and what stands on those. */
  accent: string
  accentInk: string
}

/** All that a company's colour becomes on a surface: each text on it can be read. */
export function brandColors(color: string, surface: string): BrandColors {
  const buttonInk = inkOn(color)
  const accent = legibleOn(surface, color)
  return {
    button: color,
    buttonInk,
    // Away from its text, so that it is read still better.
    buttonStrong: mixed(color, buttonInk === WHITE ? BLACK : WHITE, 0.15),
    needsEdge: contrast(color, surface) < EDGE_CONTRAST,
    accent,
    accentInk: inkOn(accent),
  }
}

/** What the hosted page's card is, light and dark: `--surface` in tokens.css. */
export const surfaces = { light: "#ffffff", dark: "#131716" } as const
