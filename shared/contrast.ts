/** Colours as #rrggbb and their readability: relative luminance and contrast of WCAG 2.2. */
export const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/.test(text)

const WHITE = "#ffffff"
const BLACK = "#000000"

const channels = (color: string): number[] => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))

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

/** White or black, whichever has more contrast: at least 4.58 on any colour. */
export const inkOn = (color: string): string => (contrast(color, WHITE) >= contrast(color, BLACK) ? WHITE : BLACK)

/** Mixes two colours: 0 is the first, 1 the second. */
function mixed(color: string, other: string, share: number): string {
  const others = channels(other)
  const parts = channels(color).map((channel, index) =>
    Math.round(channel + (others[index]! - channel) * share)
      .toString(16)
      .padStart(2, "0"),
  )
  return `#${parts.join("")}`
}

/** The contrast that text needs. */
const TEXT_CONTRAST = 4.5
/** The contrast that the edge of a control needs. */
const EDGE_CONTRAST = 3
const STEP = 0.04

/** The colour itself, or the nearest darker or lighter one that is readable as text on a surface. */
function legibleOn(surface: string, color: string): string {
  const towards = inkOn(surface)
  for (let share = 0; share < 1; share += STEP) {
    const tried = mixed(color, towards, share)
    if (contrast(tried, surface) >= TEXT_CONTRAST) return tried
  }
  return towards
}

export type BrandColors = {
  /** The button in exactly the company's colour, its text, and both under the pointer. */
  button: string
  buttonInk: string
  buttonStrong: string
  /** Whether the button needs an outline to be visible. */
  needsEdge: boolean
  /** The colour for text and marks on the surface, and the colour of text on those marks. */
  accent: string
  accentInk: string
}

/** The colours derived from a company's colour for a surface. All text on them is readable. */
export function brandColors(color: string, surface: string): BrandColors {
  const buttonInk = inkOn(color)
  const accent = legibleOn(surface, color)
  return {
    button: color,
    buttonInk,
    // Away from the text colour, which increases the contrast.
    buttonStrong: mixed(color, buttonInk === WHITE ? BLACK : WHITE, 0.15),
    needsEdge: contrast(color, surface) < EDGE_CONTRAST,
    accent,
    accentInk: inkOn(accent),
  }
}

/** The colour of the hosted page's card, light and dark: `--surface` in tokens.css. */
export const surfaces = { light: "#ffffff", dark: "#131716" } as const
