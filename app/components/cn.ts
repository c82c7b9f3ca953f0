import { type ClassValue, clsx } from "clsx"
import { createTailwindMerge } from "tailwind-merge"

const any = () => true
const isSize = (value: string) => /^(?:xs|sm|base|lg|xl|\d+xl|\[\d.*\])$/.test(value)

const isColour = (value: string) => !/^(?:\d+|[xytrbl](?:-\d+)?|solid|dashed|none)$/.test(value)

// Only what is given to a component from outside, in place of its own: of all of Tailwind that is a small part, and the
// whole of it would weigh 8 kB on every page.
const merge = createTailwindMerge(() => ({
  cacheSize: 500,
  theme: {},
  classGroups: {
    display: ["block", "inline", "inline-block", "flex", "inline-flex", "grid", "contents", "hidden"],
    position: ["static", "fixed", "absolute", "relative", "sticky"],
    w: [{ w: [any] }],
    "min-w": [{ "min-w": [any] }],
    "max-w": [{ "max-w": [any] }],
    h: [{ h: [any] }],
    "min-h": [{ "min-h": [any] }],
    "max-h": [{ "max-h": [any] }],
    size: [{ size: [any] }],
    p: [{ p: [any] }],
    px: [{ px: [any] }],
    py: [{ py: [any] }],
    pt: [{ pt: [any] }],
    pr: [{ pr: [any] }],
    pb: [{ pb: [any] }],
    pl: [{ pl: [any] }],
    m: [{ m: [any] }],
    mx: [{ mx: [any] }],
    my: [{ my: [any] }],
    mt: [{ mt: [any] }],
    mr: [{ mr: [any] }],
    mb: [{ mb: [any] }],
    ml: [{ ml: [any] }],
    "space-y": [{ "space-y": [any] }],
    gap: [{ gap: [any] }],
    items: [{ items: [any] }],
    justify: [{ justify: [any] }],
    "font-weight": [{ font: ["normal", "medium", "semibold", "bold"] }],
    "text-align": [{ text: ["left", "center", "right"] }],
    "text-size": [{ text: [isSize] }],
    whitespace: [{ whitespace: [any] }],
    "text-colour": [{ text: [any] }],
    bg: [{ bg: [any] }],
    rounded: [{ rounded: [any] }],
    "border-colour": [{ border: [isColour] }],
  },
  conflictingClassGroups: {
    size: ["w", "h"],
    p: ["px", "py", "pt", "pr", "pb", "pl"],
    px: ["pr", "pl"],
    py: ["pt", "pb"],
    m: ["mx", "my", "mt", "mr", "mb", "ml"],
    mx: ["mr", "ml"],
    my: ["mt", "mb"],
  },
  conflictingClassGroupModifiers: {},
  postfixLookupClassGroups: [],
  orderSensitiveModifiers: [
    "before",
    "after",
    "file",
    "placeholder",
    "backdrop",
    "marker",
    "selection",
    "*",
    "**",
  ],
}))

/** Classes, of which a later one replaces an earlier one that says the same thing differently. */
export const cn = (...classes: ClassValue[]): string => merge(clsx(classes))
