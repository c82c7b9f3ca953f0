import { z } from "zod"

const CONTROLS = "\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029"
const PRINTABLE = new RegExp(`^[^${CONTROLS}]*$`)
/** For the document: the same, with something to see in it. */
const VISIBLE = `^[^${CONTROLS}]*[^\\s${CONTROLS}][^${CONTROLS}]*$`

/** Text that people wrote: 1 to `max` characters, no control characters, no halves of surrogate pairs. */
export const plainText = (max: number) =>
  z
    .string()
    .refine((text) => text !== "", "must not be empty")
    .refine((text) => isAtMost(text, max), `must be at most ${max} characters`)
    .refine((text) => PRINTABLE.test(text), "must not contain control characters")
    .refine((text) => text.isWellFormed(), "must not contain halves of surrogate pairs")
    .meta({ minLength: 1, maxLength: max, pattern: PRINTABLE.source })

/** Text that is more than blanks, such as a name. */
export const notBlank = <T extends z.ZodType<string>>(text: T) =>
  text.refine((value) => value.trim() !== "", "must be more than blanks").meta({ pattern: VISIBLE })

/** A name for people to read. */
export const nameText = (max: number) => notBlank(plainText(max))

/** Whether a text has at most `max` characters: not halves of surrogate pairs, as JavaScript counts. */
const isAtMost = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= 2 * max && [...text].length <= max)

/** A name that the caller made up, short enough and clean enough to be quoted back. */
export function quoted(name: string): string {
  const clean = name.toWellFormed().replace(/[^\x20-\x7e]/g, "?")
  return clean.length > 60 ? `${clean.slice(0, 60)}…` : clean
}
