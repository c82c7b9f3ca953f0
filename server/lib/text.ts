import { z } from "zod"
import { fail } from "#shared/errors.ts"
import { hasLink } from "./linkless.ts"

const CONTROLS = "\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029"
const PRINTABLE = new RegExp(`^[^${CONTROLS}]*$`)
const PRINTABLE_LINES = new RegExp(`^(?:[^${CONTROLS}]|\\n)*$`)
/**
 * Characters that leave nothing to see: blanks, formats, what is ignored where it is not known, and
 * the blank of Braille.
 */
const SEEN = /[^\p{Z}\p{Cc}\p{Cf}\p{DI}\u2800]/u
/** They turn the direction of text: `Owner`, one of them and `gpj.exe` read `Ownerexe.jpg`. */
const TURNS = "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069"
const TURN = new RegExp(`[${TURNS}]`)
const EVERY_TURN = new RegExp(TURN, "g")
/** For the document, in words that every language's patterns have: the same, but for what is unseen beyond U+FFFF. */
const UNSEEN =
  "\\s\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb"
const NOT_IN_NAMES = CONTROLS + TURNS
const NAME = `^[^${NOT_IN_NAMES}]*[^${UNSEEN}\\u200c\\u200d${NOT_IN_NAMES}][^${NOT_IN_NAMES}]*$`

/** Refuses a text for the first thing that is wrong with it, and for no other. */
const saying = (error: string) => ({ error, abort: true })

/** Text that people wrote: 1 to `max` characters, no control characters, no halves of surrogate pairs. */
export const plainText = (max: number) => textOf(max, PRINTABLE)

const textOf = (max: number, pattern: RegExp) =>
  z
    .string()
    .refine((text) => text !== "", saying("must not be empty"))
    .refine((text) => isAtMost(text, max), saying(`must be at most ${max} characters`))
    .refine((text) => pattern.test(text), saying("must not contain control characters"))
    .refine((text) => text.isWellFormed(), saying("must not contain halves of surrogate pairs"))
    .meta({ minLength: 1, maxLength: max, pattern: pattern.source })

/** Refuses what makes a text read otherwise than it is written. */
const unturned = <T extends z.ZodType<string>>(text: T) =>
  text.refine(
    (value) => !TURN.test(value),
    saying("must not contain characters that change the direction of text"),
  )

/** What one person writes and another one reads, such as a reason. */
export const freeText = (max: number) => unturned(plainText(max)).meta({ pattern: `^[^${NOT_IN_NAMES}]*$` })

/** The same in several lines. */
export const freeLines = (max: number) =>
  unturned(textOf(max, PRINTABLE_LINES)).meta({ pattern: `^(?:[^${NOT_IN_NAMES}]|\\n)*$` })

/** The same from another system, whose decision must not be lost for it: what turns text is left out. */
export const foreignText = (max: number) => plainText(max).overwrite((text) => text.replace(EVERY_TURN, ""))

/**
 * Text by which people know something, such as a name: there is something to see in it, and it reads as it is written.
 */
export const readable = <T extends z.ZodType<string>>(text: T) =>
  unturned(text.refine((value) => SEEN.test(value), saying("must contain a visible character"))).meta({
    pattern: NAME,
  })

/** Words for people to read: there is something to see in them, and they read as they are written. */
export const words = (max: number) => readable(plainText(max))

/** A name for people to read. */
export const nameText = words

/** For the document: format characters up to U+FFFF, in words that every language's patterns have. */
const FORMATS =
  "\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb"

/** A system's own id, which people compare by sight: nothing in it hides or turns text. */
export const foreignId = (max: number) =>
  plainText(max)
    .refine(
      (text) => !/\p{Cf}/u.test(text),
      saying("must not contain invisible characters, or ones that change the direction of text"),
    )
    .meta({ pattern: `^[^${CONTROLS}${FORMATS}]*$` })

/** A name that is mailed to people whom its owner chooses: without anything that a mail client makes a link of. */
export const mailedName = (max: number) =>
  nameText(max).refine(
    (name) => !hasLink(name),
    saying("must not contain a web or email address, because it is mailed. Leave its points out"),
  )

/** Whether a text has at most `max` characters: not halves of surrogate pairs, as JavaScript counts. */
const isAtMost = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= 2 * max && [...text].length <= max)

/** A name that the caller made up, short enough and clean enough to be quoted back. */
export function quoted(name: string): string {
  const clean = name.toWellFormed().replace(/[^\x20-\x7e]/g, "?")
  return clean.length > 60 ? `${clean.slice(0, 60)}…` : clean
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** A body as text, without the byte order mark that some writers put before it. Errors: malformed_request. */
export function readText(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    return fail("malformed_request", "The body is not UTF-8.", { cause })
  }
}
