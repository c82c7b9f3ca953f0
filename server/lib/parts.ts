import { once } from "node:events"
import type { ServerResponse } from "node:http"

type Parts = {
  parts: AsyncIterable<string>
  /** Sends the head, once the first part is known, so that a failure until then still gives an error response. */
  head: () => void
  /** Throws if the caller may no longer read them. */
  requireAccess: () => Promise<unknown>
}

/**
 * Answers with text in parts at the client's speed, so that memory does not grow with its length. A slow client may take
 * an hour, so the permission is checked again before each part. If that or a part fails, the connection breaks, so that
 * no client takes what has arrived for the whole.
 */
export async function sendParts(response: ServerResponse, { parts, head, requireAccess }: Parts): Promise<void> {
  let isFirst = true
  try {
    for await (const part of parts) {
      if (isFirst) head()
      else await requireAccess()
      isFirst = false
      await writeText(response, part)
      if (response.destroyed) return
    }
  } catch (error) {
    if (!isFirst) response.destroy()
    throw error
  }
  response.end()
}

/** Writes, and waits until the client has room for more or has disconnected. */
export async function writeText(response: ServerResponse, text: string): Promise<void> {
  if (response.write(text) || response.destroyed) return
  const gone = new AbortController()
  const end = () => gone.abort()
  response.once("close", end)
  await once(response, "drain", { signal: gone.signal }).catch(() => {})
  response.off("close", end)
}
