/** What a request was about, and where its page is below the workspace. */
export type Subject = { what: string; id: string; parts: string[] }

/** Found in the path, or in the answer of what the request made. Null where neither names one. */
export function subjectOf({
  path,
  response_body,
}: {
  path: string
  response_body: string | null
}): Subject | null {
  const [, kind, id] = /^\/(attestation|mint-config)\/([\w-]+)/.exec(path) ?? []
  if (kind === "attestation") return { what: "Attestation", id: id!, parts: ["attestations", id!] }
  if (kind === "mint-config") return { what: "Configuration", id: id!, parts: ["tokens", id!] }
  const { operation_id, mint_config } = read(response_body)
  if (typeof operation_id !== "string" || typeof mint_config !== "string") return null
  return {
    what: "Operation",
    id: operation_id,
    parts: ["tokens", mint_config, "operations", operation_id],
  }
}

function read(body: string | null): Record<string, unknown> {
  try {
    return (JSON.parse(body ?? "{}") ?? {}) as Record<string, unknown>
  } catch {
    return {}
  }
}
