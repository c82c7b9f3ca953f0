/** The largest logo in bytes. It keeps the hosted page within its size budget. */
export const MAX_LOGO_BYTES = 100_000
