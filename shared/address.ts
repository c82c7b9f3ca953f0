/** How an address, and a transaction's signature, are written in base58. */
export const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/
export const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/
