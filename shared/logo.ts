/** Largest logo of a company, in bytes: with it the hosted page stays within its budget. */
export const MAX_LOGO_BYTES = 100_000
