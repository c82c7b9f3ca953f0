import { useEffect, useRef, useState } from "react"
import { useMe, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { isUnanswered, Refused } from "#app/components/problem.ts"
import { remember, remembered, rememberedNames } from "#app/components/storage.ts"

const PREFIX = "vouch:idempotency-key:"
const KEPT_MS = 24 * 3600 * 1000

type Kept = { key: string; at: number }

type IdempotentForm = {
  /** Sends the content with its key. Without an answer, the error says what is safe to do. */
  send: <T>(call: (key: string) => Promise<T>) => Promise<T>
  /** Whether no answer arrived for this content. It may have been done, so checks against the present say nothing about it. */
  isUnanswered: boolean
  /** Whether this is an operation that began before the form was opened: the server returns it again for a kept key. */
  isEarlier: (operation: { created_at: string }) => boolean
  /** The operation has begun: the same content, entered again, gets a new key. */
  forget: () => void
}

/**
 * The idempotency key of a form. The same content has the same key in every tab, and after a reload, until the
 * operation is known to have begun; a form keeps the key that it had when it was filled in (`isReady`). So a second
 * click, a lost response or another tab never does it twice.
 */
export function useIdempotencyKey(content: readonly string[], isReady: boolean): IdempotentForm {
  const { id: workspaceId } = useWorkspace()
  const userId = useMe().data?.user.id ?? ""
  const name = nameOf([userId, workspaceId, ...content])
  const held = useRef(new Map<string, string>())
  const [openedAt] = useState(Date.now)
  const [unanswered, setUnanswered] = useState<string | null>(null)
  useEffect(() => {
    if (isReady && !held.current.has(name)) held.current.set(name, keyFor(name))
  }, [name, isReady])
  return {
    send: async (call) => {
      try {
        return await call(held.current.get(name) ?? keyFor(name))
      } catch (error) {
        setUnanswered(isUnanswered(error) ? name : null)
        throw isUnanswered(error) ? new Refused(MAY_HAVE_HAPPENED) : error
      }
    },
    isUnanswered: unanswered === name,
    // The key's age is by this browser's clock, so that a wrong clock does not make a new operation look old.
    isEarlier: ({ created_at }) => (read(name)?.at ?? openedAt) < openedAt && new Date(created_at).getTime() < openedAt,
    forget: () => forgetKey(name),
  }
}

const MAY_HAVE_HAPPENED =
  "No answer arrived, so this may have been done. Send it again unchanged: it is never done twice. Before you send something else, look at what was done."

export const nameOf = (content: readonly string[]): string => PREFIX + JSON.stringify(content)

/** Returns the key stored under a name, or stores a new one. */
export function keyFor(name: string): string {
  const known = read(name)
  if (known) return known.key
  const key = newKey()
  write(name, { key, at: Date.now() })
  return key
}

/** A unique key. Not `randomUUID`, which browsers offer over HTTPS only. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("-")

// If the browser stores nothing, a key lives as long as its page.
const inMemory = new Map<string, Kept>()

function read(name: string): Kept | null {
  const text = remembered(name)
  const kept = text === null ? (inMemory.get(name) ?? null) : (JSON.parse(text) as Kept)
  // The server also forgets keys after a day.
  return kept !== null && Date.now() - kept.at < KEPT_MS ? kept : null
}

function write(name: string, kept: Kept): void {
  inMemory.set(name, kept)
  for (const old of rememberedNames()) if (old.startsWith(PREFIX) && read(old) === null) remember(old, null)
  remember(name, JSON.stringify(kept))
}

/** The next key under this name will be a new one. */
export function forgetKey(name: string): void {
  inMemory.delete(name)
  remember(name, null)
}
