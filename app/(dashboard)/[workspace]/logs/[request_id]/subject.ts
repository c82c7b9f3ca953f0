/** What a request was about, and the path of its page below the workspace. */
export type Subject = { what: string; id: string; parts: string[] }

/**
 * Finds the attestation or the operation in the path, or in the answer if the request created it. Null if neither names
 * one. The server names wallets and tokens, because it knows whose they are. An operation's
 * page is below its configuration, which the path of a read does not name: then `parts` is empty and `id` is the
 * operation's.
 */
export function subjectOf({ path, response_body }: { path: string; response_body: string | null }): Subject | null {
  const [, kind, id = ""] = /^\/(attestation|token\/operation)\/(\w+)/.exec(path) ?? []
  if (kind === "attestation") return { what: "Attestation", id, parts: ["attestations", id] }
  if (kind !== undefined) return { what: "Operation", id, parts: [] }
  const { operation_id, mint_config } = read(response_body)
  if (typeof operation_id !== "string" || typeof mint_config !== "string") return null
  return { what: "Operation", id: operation_id, parts: partsOf(mint_config, operation_id) }
}

export const partsOf = (config: string, operation: string): string[] => ["tokens", config, "operations", operation]

function read(body: string | null): Record<string, unknown> {
  try {
    return (JSON.parse(body ?? "{}") ?? {}) as Record<string, unknown>
  } catch {
    return {}
  }
}
