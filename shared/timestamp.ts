/** `YYYY-MM-DDThh:mm:ssZ`, the only form in which times leave Vouch. Fractions are cut off. */
export const toTimestamp = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`
