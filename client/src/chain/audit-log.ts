import { issuersOf, MEMO } from "./address.ts"
import { type AuditBreak, type AuditRange, type FileEntry, follows, readAuditFile } from "./audit-file.ts"
import { type ChainConnection, type Node, nodeOf, PAGE, type Span, type Transaction } from "./connection.ts"

export type AuditQuestion = {
  /**
   * The address that issues for the workspace: the authority of its mints. Get it from the issuer, never from the file.
   * Pass several if the workspace's key was replaced.
   */
  issuer: string | readonly string[]
  /** An export of the audit log that is filtered by nothing but times. A string, or its bytes in UTF-8. */
  csv: string | Uint8Array
  /**
   * The end of the time that the file should cover. Anchors made before it cover entries that must be in the file, so a
   * file whose end was cut off has a break. The last hour does not count, because clocks differ. Without it, the file may end anywhere, and `later`
   * says if the log goes on.
   */
  until?: Date | undefined
  /**
   * The start of the time that the file should cover. The file reaches back to it if it has an entry from before it or
   * the log's first one, or if an anchor made before it is of the entry right before the file or a later one. The first hour
   * does not count. Otherwise the file has a break. Without it, the file may begin anywhere.
   */
  since?: Date | undefined
  /** The commitment level. Default: `confirmed`. */
  commitment?: "confirmed" | "finalized" | undefined
  /**
   * The most transactions to read whose memo looks like an anchor. Anyone can write such a memo and name the issuer.
   * Default: 10,000.
   */
  most?: number | undefined
}

/** A hash of the audit log that the issuer put on chain. */
export type AuditAnchor = {
  id: string
  /** Its place in the chain of the audit log. */
  place: number
  hash: string
  transaction: string
  /** The issuer's key that signed. */
  authority: string
  /** Unix seconds; null if the node does not know it. */
  at: number | null
}

export type AuditAnswer = {
  /** Whether the file has no break, and the chain proves entries of it. `unproven` may still have some. */
  verified: boolean
  /** Places of the oldest and the newest entry; null if the file has no linked entry. */
  range: AuditRange | null
  /** Which entries are proven by which anchor, from the oldest. */
  proven: (AuditRange & { anchor: AuditAnchor })[]
  /** Entries that no anchor in the file's range proves. Usually those after the last anchor. */
  unproven: AuditRange[]
  /** Entries that were not linked yet when the file was made. Nothing is known about them. */
  unlinked: number
  breaks: AuditBreak[]
  /** Columns that no hash covers, so that nothing is known about them: `subject_name`, and any that was added. */
  unprovenColumns: string[]
  /** The newest anchor on chain of an entry after the end of the file: the log goes on at least to there. */
  later: AuditAnchor | null
}

const MOST = 10_000
/** An anchor can be older than an entry that it does not cover. Clocks may differ by less than this. */
const SLACK_SECONDS = 86_400

/**
 * Checks an export of the audit log using only the chain and not Vouch: that each entry has its hash and follows the one
 * before it, and that the issuer put hashes of this chain on chain. The answers of the node are trusted, so choose it
 * well. Reads the issuer's history from now back to the first entry of the file.
 *
 * Rejects if the node fails, if an address is invalid, if the file is no export of the audit log, or if more
 * transactions than `most` look like an anchor.
 */
export async function verifyAuditLog(connection: ChainConnection, question: AuditQuestion): Promise<AuditAnswer> {
  const { csv, until, since, commitment = "confirmed", most = MOST } = question
  const issuers = issuersOf(question.issuer)
  const { entries, unlinked, breaks, unprovenColumns } = await readAuditFile(
    typeof csv === "string" ? csv : new TextDecoder().decode(csv),
  )
  const [first, last] = [entries[0], entries.at(-1)]
  if (first === undefined || last === undefined)
    return { verified: false, range: null, proven: [], unproven: [], unlinked, breaks, unprovenColumns, later: null }

  const oldest = Math.min(
    ...entries.slice(0, EARLIEST).map(({ at }) => at),
    since?.getTime() ?? Number.POSITIVE_INFINITY,
  )
  const readFrom = oldest / 1000 - SLACK_SECONDS
  const anchors = await anchorsOf(nodeOf(connection, commitment), issuers, { since: readFrom, most })
  breaks.push(...contradictions(entries, anchors), ...cutOff(last, anchors, until), ...late(first, anchors, since))
  const { proven, unproven } = proofs(entries, anchors)
  return {
    verified: breaks.length === 0 && proven.length > 0,
    range: { from: first.place, to: last.place },
    proven,
    unproven,
    unlinked,
    breaks: breaks.sort((a, b) => a.from - b.from),
    unprovenColumns,
    later: anchors.filter(({ place }) => place > last.place).sort((a, b) => b.place - a.place)[0] ?? null,
  }
}

/** Entries are almost in the order of their times. */
const EARLIEST = 1000

/** Anchors whose place has another hash in the file. */
function contradictions(entries: readonly FileEntry[], anchors: readonly AuditAnchor[]): AuditBreak[] {
  const hashes = new Map(entries.map(({ place, hash }) => [place, hash]))
  const [first] = entries
  if (first !== undefined) hashes.set(first.place - 1, first.previous)
  const lost = new Set(entries.flatMap(({ action, subject }) => (action === LOST ? [subject] : [])))
  return anchors.flatMap(({ id, place, hash }) => {
    const own = hashes.get(place)
    if (own === undefined || own === hash) return []
    return [{ kind: lost.has(id) ? "lost" : "contradicted", from: place, to: place }]
  })
}

/** Anchors are made just after midnight (UTC), and the clocks of the chain and of the server differ. */
const CLOCK_SLACK_SECONDS = 3600

/** Entries after the end of the file that were anchored before the end of its time. */
function cutOff(last: FileEntry, anchors: readonly AuditAnchor[], until: Date | undefined): AuditBreak[] {
  if (until === undefined) return []
  const end = until.getTime() / 1000 - CLOCK_SLACK_SECONDS
  const places = anchors.flatMap(({ at, place }) => (at !== null && at < end ? [place] : []))
  const to = Math.max(last.place, ...places)
  return to > last.place ? [{ kind: "missing", from: last.place + 1, to }] : []
}

/** A file that begins after the start of its time, unless an anchor made before that start covers the entry before it. */
function late(first: FileEntry, anchors: readonly AuditAnchor[], since: Date | undefined): AuditBreak[] {
  if (since === undefined || first.place === 1 || first.at < since.getTime()) return []
  const start = since.getTime() / 1000 + CLOCK_SLACK_SECONDS
  const isShown = anchors.some(({ at, place }) => at !== null && at < start && place >= first.place - 1)
  return isShown ? [] : [{ kind: "begins_late", from: first.place, to: first.place }]
}

/** The log's entry about an anchor that a restored database does not agree with. */
const LOST = "audit_log.entries_lost"

/** An anchor proves every entry before it that the hashes lead back to without a break. */
function proofs(
  entries: readonly FileEntry[],
  anchors: readonly AuditAnchor[],
): Pick<AuditAnswer, "proven" | "unproven"> {
  const byHash = new Map(anchors.map((anchor) => [`${anchor.place} ${anchor.hash}`, anchor]))
  const proven: AuditAnswer["proven"] = []
  const unproven: AuditRange[] = []
  let from: number | null = null
  for (const [i, entry] of entries.entries()) {
    from ??= entry.place
    const anchor = byHash.get(`${entry.place} ${entry.hash}`)
    if (anchor !== undefined) proven.push({ from, to: entry.place, anchor })
    const next = entries[i + 1]
    const isEnd = next === undefined || !follows(next, entry)
    if (isEnd && anchor === undefined) unproven.push({ from, to: entry.place })
    if (isEnd || anchor !== undefined) from = null
  }
  return { proven, unproven }
}

/** The anchors that one of the issuers signed, newest first. */
async function anchorsOf(
  node: Node,
  issuers: readonly string[],
  { since, most }: { since: number; most: number },
): Promise<AuditAnchor[]> {
  const found: AuditAnchor[] = []
  let looked = 0
  for (const issuer of issuers) {
    const span: Span = {}
    for (let isOver = false; !isOver; ) {
      const list = await node.signatures(issuer, { ...span })
      for (const { signature, failed, memo, at } of list) {
        isOver = at !== null && at < since
        if (isOver) break
        if (failed || !memo.includes("vouch:1:anch_")) continue
        if (++looked > most)
          throw new Error(`More than ${most} transactions look like an anchor. Pass a higher "most".`)
        const transaction = await node.transaction(signature)
        if (transaction === null) throw new Error("The node lists a transaction that it does not know.")
        found.push(...anchorsIn(transaction, issuer).map((anchor) => ({ ...anchor, transaction: signature, at })))
      }
      isOver ||= list.length < PAGE
      if (!isOver) span.before = list.at(-1)!.signature
    }
  }
  return found
}

/** `vouch:1:<anchor id>:<place>:<hash>` (docs/contract.md). */
const MEMO_TEXT = /^vouch:1:(anch_[1-9A-HJ-NP-Za-km-z]{16,22}):([1-9]\d{0,14}):([0-9a-f]{64})$/

/** The anchors in a transaction that the memo program saw the issuer sign. */
function anchorsIn({ failed, instructions, signers }: Transaction, issuer: string) {
  if (failed || !signers.includes(issuer)) return []
  return instructions.flatMap(({ program, accounts, data }) => {
    if (program !== MEMO || !accounts.includes(issuer)) return []
    const [, id, place, hash] = MEMO_TEXT.exec(new TextDecoder().decode(data)) ?? []
    return id && place && hash ? [{ id, place: Number(place), hash, authority: issuer }] : []
  })
}
