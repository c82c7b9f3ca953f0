/** `YYYY-MM-DDThh:mm:ssZ`, the format of all times that Vouch sends. Fractions are cut off. */
export const toTimestamp = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`
