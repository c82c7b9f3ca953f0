import { z } from "zod"
import { sql } from "#db/client.ts"
import type { Principal } from "#domain/requests"
import { fieldErrorOf, sentenceOf } from "#server/lib/validation.ts"
import { Failure } from "#shared/errors.ts"
import { checkTogether, configInput } from "./config.ts"
import { checkNewConfig, requireSchemaOf } from "./configs.ts"

export const configIssues = z.object({
  issues: z.array(z.object({ field: z.string(), error: z.string(), detail: z.string() })),
})
type Issue = z.infer<typeof configIssues>["issues"][number]

/**
 * The errors that creating or changing a configuration would return, by field, with the API's codes. If fields are
 * invalid by themselves, only their errors are returned. Nothing is changed.
 */
export async function checkConfig(
  { workspaceId }: Principal,
  { config: raw, isNew }: { config: unknown; isNew: boolean },
): Promise<Issue[]> {
  const parsed = configInput.strict().safeParse(raw, { error: sentenceOf })
  if (!parsed.success) {
    return parsed.error.issues.map((issue) => {
      const { field, code, sentence } = fieldErrorOf(issue)
      return { field, error: code, detail: sentence }
    })
  }
  const config = parsed.data
  const ofWorkspace = () =>
    isNew ? checkNewConfig(sql, workspaceId, config) : requireSchemaOf(sql, workspaceId, config)
  return [...(await issuesIn(async () => checkTogether(config))), ...(await issuesIn(ofWorkspace))]
}

/** A detail begins with the name of its field. */
async function issuesIn(check: () => Promise<void>): Promise<Issue[]> {
  try {
    await check()
    return []
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const end = error.message.indexOf(": ")
    return [{ field: error.message.slice(0, end), error: error.code, detail: error.message.slice(end + 2) }]
  }
}
