import { Webhook } from "standardwebhooks"
import { toCursor } from "#domain/events"
import { toTimestamp } from "#server/lib/time.ts"
import type { Claimed } from "./queue.ts"

// What is sent. The page of a delivery shows the same headers and body again.

/** An event in the form of `GET /events`. */
export const bodyOf = ({
  event_id,
  sequence,
  generation,
  type,
  occurred_at,
  data,
}: Omit<Claimed, "attempts">): string =>
  JSON.stringify({
    id: event_id,
    sequence: Number(sequence),
    cursor: toCursor({ sequence, generation }),
    type,
    occurred_at: toTimestamp(occurred_at),
    data,
  })

/** The headers of Standard Webhooks. */
type SignedHeaders = Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>

/** They have one signature per secret, newest first. */
export const signedHeaders = (
  secrets: readonly string[],
  { id, at, body }: { id: string; at: Date; body: string },
): SignedHeaders => withSignature(secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(" "), { id, at })

export const withSignature = (signature: string, { id, at }: { id: string; at: Date }): SignedHeaders => ({
  "webhook-id": id,
  "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
  "webhook-signature": signature,
})

/** All headers of a request, except those of the connection. */
export const headersOf = (signed: Record<string, string>, body: string): Record<string, string> => ({
  "content-type": "application/json",
  "content-length": String(Buffer.byteLength(body)),
  "user-agent": "Vouch-Webhooks/1",
  ...signed,
})
