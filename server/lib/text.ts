import { z } from "zod"
import { fail } from "#shared/errors.ts"
import { isVisible } from "#shared/visible.ts"
import { hasLink } from "./linkless.ts"

const CONTROLS = "\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029"
const PRINTABLE = new RegExp(`^[^${CONTROLS}]*$`)
const PRINTABLE_LINES = new RegExp(`^(?:[^${CONTROLS}]|\\n)*$`)
/** Characters that change the direction of text: `Owner`, one of them and `gpj.exe` reads `Ownerexe.jpg`. */
const DIRECTION_CHANGES = "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069"
const DIRECTION_CHANGE = new RegExp(`[${DIRECTION_CHANGES}]`)
const ALL_DIRECTION_CHANGES = new RegExp(DIRECTION_CHANGE, "g")
/** The documented pattern, in syntax that every language supports. The same, except for invisible characters beyond U+FFFF. */
const UNSEEN =
  "\\s\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb"
const NOT_IN_NAMES = CONTROLS + DIRECTION_CHANGES
const NAME = `^[^${NOT_IN_NAMES}]*[^${UNSEEN}\\u200c\\u200d${NOT_IN_NAMES}][^${NOT_IN_NAMES}]*$`

/** Refuses a text for its first problem only. */
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

/** Refuses characters that change the direction of text. */
const withoutDirectionChanges = <T extends z.ZodType<string>>(text: T) =>
  text.refine(
    (value) => !DIRECTION_CHANGE.test(value),
    saying("must not contain characters that change the direction of text"),
  )

/** Text that one person writes and another reads, such as a reason. */
export const freeText = (max: number) =>
  withoutDirectionChanges(plainText(max)).meta({ pattern: `^[^${NOT_IN_NAMES}]*$` })

/** The same with several lines. */
export const freeLines = (max: number) =>
  withoutDirectionChanges(textOf(max, PRINTABLE_LINES)).meta({ pattern: `^(?:[^${NOT_IN_NAMES}]|\\n)*$` })

/** The same from another system, whose decision must not be lost: characters that change the direction are removed. */
export const foreignText = (max: number) => plainText(max).overwrite((text) => text.replace(ALL_DIRECTION_CHANGES, ""))

/** Text that names something for people: it has visible characters, and none that change its direction. */
export const readable = <T extends z.ZodType<string>>(text: T) =>
  withoutDirectionChanges(text.refine(isVisible, saying("must contain a visible character"))).meta({ pattern: NAME })

/** Text for people. It has visible characters and none that change its direction. */
export const words = (max: number) => readable(plainText(max))

/** A name for people to read. */
export const nameText = words

/** For the document: format characters up to U+FFFF, in pattern syntax that every language supports. */
const FORMATS =
  "\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb"

/**
 * Another system's id, which people compare by eye: without characters that hide text or change its direction. It may be
 * blank, because 0.1.0 accepted that.
 */
export const foreignId = (max: number) =>
  plainText(max)
    .refine(
      (text) => !/\p{Cf}/u.test(text),
      saying("must not contain invisible characters, or ones that change the direction of text"),
    )
    .meta({ pattern: `^[^${CONTROLS}${FORMATS}]*$` })

/** A name that is mailed to people of its owner's choice: without anything that a mail client turns into a link. */
export const mailedName = (max: number) =>
  nameText(max).refine(
    (name) => !hasLink(name),
    saying("must not contain a web or email address, because it is mailed. Remove the points"),
  )

/** Whether a text has at most `max` characters. JavaScript's length counts halves of surrogate pairs. */
const isAtMost = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= 2 * max && [...text].length <= max)

/** A name from the caller, shortened and cleaned for an error message. */
export function quoted(name: string): string {
  const clean = name.toWellFormed().replace(/[^\x20-\x7e]/g, "?")
  return clean.length > 60 ? `${clean.slice(0, 60)}…` : clean
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** A body as text, without a leading byte order mark. Errors: malformed_request. */
export function readText(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    return fail("malformed_request", "The body is not UTF-8.", { cause })
  }
}
