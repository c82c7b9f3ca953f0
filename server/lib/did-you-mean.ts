/** ` Did you mean userPubkey?` for a name close to a known one, such as `user_pubkey`. Otherwise empty. */
export function didYouMean(name: string, known: Iterable<string>): string {
  if (name.length > 60) return ""
  let best: string | null = null
  let least = 2 + 1
  for (const one of known) {
    const away = distance(plain(name), plain(one))
    // A short name allows fewer differences.
    if (away < least && away <= plain(one).length / 3) [best, least] = [one, away]
  }
  return best === null ? "" : ` Did you mean ${best}?`
}

/** Names that differ only in case and separators count as the same. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "")

/** The number of letters to change, add, remove or swap with their neighbour. */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      row[j] = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + same)
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1)
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}
