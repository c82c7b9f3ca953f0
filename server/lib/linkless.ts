/**
 * What mail clients make a link of: an address with its scheme, an email address, an IP address, a path of a server, and a
 * bare domain.
 */
const LINK =
  /:\/\/|\\\\|@|\b(?:mailto|tel|sms|callto|skype|data|javascript):|\bwww\.|\d{1,3}(?:\.\d{1,3}){3}|[^\s.。｡][.。｡]\p{M}*\p{L}[\p{L}\p{M}\p{N}-]/iu

/** As a client reads it: without characters that it skips, and with letters and points of one form. */
const asRead = (text: string): string => text.normalize("NFKC").replace(/[\p{Cf}\p{DI}]/gu, "")

/** Whether a mail client would make a link of a part of a text. */
export const hasLink = (text: string): boolean => LINK.test(asRead(text))

/** A name in a mail: of one that would become a link, the words without what joins them. */
export const linkless = (name: string): string =>
  hasLink(name)
    ? asRead(name)
        .replace(/[^\p{L}\p{M}\p{N}]+/gu, " ")
        .trim()
    : name
