type Day = { day: string }

/** The fewest days to draw, so that a bar is not as wide as the chart. */
const LEAST = 7

/** The days from the first one with anything counted, so that a new workspace's chart is not mostly empty. */
export function withoutEmptyStart<One extends Day>(days: readonly One[]): One[] {
  const first = days.findIndex(({ day: _, ...counts }) => Object.values(counts).some((count) => count !== 0))
  return days.slice(first === -1 ? -LEAST : Math.min(first, Math.max(0, days.length - LEAST)))
}
