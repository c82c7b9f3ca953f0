import { sql } from "#db/client.ts"
import { type AuditFilter, explorerOfTransaction, listAuditEntries } from "#domain/audit-log"
import type { Principal } from "#domain/requests"
import { detailsOf } from "./details.ts"
import { readNames } from "./names.ts"
import { named, type Part, type Phrase, say } from "./phrases.ts"
import { reasonOf } from "./reasons.ts"
import { sentenceOf } from "./sentences.ts"

type Search = AuditFilter & { limit: number; cursor?: string | undefined }
type Entry = Awaited<ReturnType<typeof listAuditEntries>>["data"][number]

/**
 * The audit log in sentences, newest first. Names and reasons are not in the log, because nothing can be erased from it;
 * they are read where they are kept. Errors: validation_failed for a cursor.
 */
export async function listAuditLog({ workspaceId, mode, scopes }: Principal, search: Search) {
  const { data, next_cursor } = await listAuditEntries(workspaceId, search)
  const mayReview = scopes.has("review:write")
  const [names, anchorOf] = await Promise.all([readNames(workspaceId, data), readAnchors(workspaceId, data)])
  return {
    data: data.map((entry) => {
      const told = { ...entry, names }
      const transaction = anchorOf(entry)
      return {
        ...entry,
        sentence: [...actorOf(entry), " ", ...sentenceOf(entry.action, told)].map((part) =>
          mayReview ? part : withoutReview(part),
        ),
        /** Why, if someone gave a reason and it was not erased. */
        reason: reasonOf(entry.action, told, mayReview),
        details: detailsOf(entry.detail),
        /** The transaction whose memo proves the entry; null until the next one is made. */
        anchor: transaction === null ? null : { transaction, explorer: explorerOfTransaction(mode, transaction) },
      }
    }),
    next_cursor,
  }
}

/** Only those who decide reviews can open them. */
const withoutReview = (part: Part): Part =>
  typeof part !== "string" && part.path?.[0] === "reviews" ? part.text : part

const actorOf = ({ actor, actor_name }: Entry): Phrase => {
  if (actor === "operator") return ["The administrator"]
  if (actor === "system") return ["Vouch"]
  return actor === "key" ? say`The API key ${named(actor_name)}` : [named(actor_name)]
}

/** The first anchor at or after each entry, which covers it. */
async function readAnchors(workspaceId: string, entries: readonly Entry[]): Promise<(entry: Entry) => string | null> {
  const places = entries.flatMap(({ place }) => place ?? [])
  const anchors =
    places.length === 0
      ? []
      : await sql<{ place: bigint; signature: string }[]>`
          select place, signature from audit_anchors
          where workspace_id = ${workspaceId} and state = 'made' and signature is not null
            and place >= ${Math.min(...places)}
          order by place`
  return ({ place: of }) => (of === null ? null : (anchors.find(({ place }) => place >= of)?.signature ?? null))
}
