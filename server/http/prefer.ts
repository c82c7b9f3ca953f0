/** Whether a request prefers `respond-async` (RFC 7240). */
export const prefersAsync = (prefer: string | string[] | undefined): boolean =>
  prefer !== undefined && /(?:^|,)\s*respond-async\s*(?:[;,]|$)/i.test(String(prefer))
