/** Whether `respond-async` is among the preferences of a request (RFC 7240). */
export const prefersAsync = (prefer: string | string[] | undefined): boolean =>
  prefer !== undefined && /(?:^|,)\s*respond-async\s*(?:[;,]|$)/i.test(String(prefer))
