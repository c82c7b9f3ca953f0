/** What mail clients turn into a link: URL, email address, IP address, server with a path, bare domain. */
const LINK =
  /:\/\/|\\\\|@|\b(?:mailto|tel|sms|callto|skype|data|javascript):|\bwww\.|\d{1,3}(?:\.\d{1,3}){3}|[^\s.。｡][.。｡]\p{M}*\p{L}[\p{L}\p{M}\p{N}-]/iu

/** Text as a mail client reads it: without skipped characters, and with normalized letters and points. */
const asRead = (text: string): string => text.normalize("NFKC").replace(/[\p{Cf}\p{DI}]/gu, "")

/** Whether a mail client would turn a part of a text into a link. */
export const hasLink = (text: string): boolean => LINK.test(asRead(text))

/** A name for a mail. If it would become a link, only its words, without the characters that join them. */
export const linkless = (name: string): string =>
  hasLink(name)
    ? asRead(name)
        .replace(/[^\p{L}\p{M}\p{N}]+/gu, " ")
        .trim()
    : name
