import { z } from "zod"

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** Text that people wrote: 1 to `max` characters, no control characters, no halves of surrogate pairs. */
export const plainText = (max: number) =>
  z
    .string()
    .min(1, "must not be empty")
    .max(max, `must be at most ${max} characters`)
    .refine((text) => !CONTROL.test(text) && text.isWellFormed(), "must not contain control characters")

/** A name that the caller made up, short enough and clean enough to be quoted back. */
export function quoted(name: string): string {
  const clean = name.toWellFormed().replace(/[^\x20-\x7e]/g, "?")
  return clean.length > 60 ? `${clean.slice(0, 60)}…` : clean
}
