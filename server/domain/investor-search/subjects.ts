import { isId } from "#server/lib/ids.ts"
import { fail } from "#shared/errors.ts"
import { readNamed } from "./named.ts"

/**
 * What records may be about if a text names it: itself, and the ids and wallets of the people whom it names. The id of
 * an attestation stands for that attestation alone. Errors: validation_failed for the field if too many people match.
 */
export async function subjectsNamed(workspaceId: string, field: string, text: string): Promise<string[]> {
  if (isId("att", text)) return [text]
  const named = await readNamed(workspaceId, text)
  if (named?.ids === null) fail("validation_failed", `${field}: too many people match. Type more of the name.`)
  return [text, ...(named?.ids ?? [])]
}
