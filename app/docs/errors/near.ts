import { type ErrorCode, errorCodes } from "#shared/errors.ts"

/** Existing codes similar to an unknown one, most similar first. */
export function nearTo(code: string): ErrorCode[] {
  const wanted = trigramsOf(code)
  return errorCodes
    .map((known) => ({ known, likeness: likeness(wanted, trigramsOf(known)) }))
    .filter(({ likeness }) => likeness > 0.2)
    .sort((one, other) => other.likeness - one.likeness)
    .slice(0, 5)
    .map(({ known }) => known)
}

function trigramsOf(code: string): Set<string> {
  const padded = `  ${code.toLowerCase()} `
  return new Set(Array.from({ length: padded.length - 2 }, (_, start) => padded.slice(start, start + 3)))
}

/** Similarity of two sets: shared elements divided by all elements. 1 if they are equal. */
function likeness(one: Set<string>, other: Set<string>): number {
  const both = [...one].filter((trigram) => other.has(trigram)).length
  return both / (one.size + other.size - both)
}
