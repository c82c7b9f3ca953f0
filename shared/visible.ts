/** Invisible characters: blanks, format characters, default-ignorable ones, and the blank of Braille. */
const SEEN = /[^\p{Z}\p{Cc}\p{Cf}\p{DI}\u2800]/u

/** Whether a text has a character that people can see. */
export const isVisible = (text: string): boolean => SEEN.test(text)

/** A name as a page shows it: an external id may be blank, and no one could read or click that. */
export const shownName = (name: string): string => (isVisible(name) ? name : "(no visible name)")
