import { openProcedure, router } from "#server/trpc/trpc.ts"
import { statusMeanings } from "#shared/define-error.ts"
import { errorCodes, errors, retryAdvice } from "#shared/errors.ts"

const table = errorCodes.map((code) => {
  const { status, title, fix, isDashboardOnly } = errors[code]
  return {
    code,
    status,
    meaning: statusMeanings[status],
    title,
    fix,
    isDashboardOnly,
    retry: retryAdvice(code),
  }
})

/** What the public pages below /docs show of this server. */
export const docsRouter = router({
  /** The error table, in its own order: by status. */
  errors: openProcedure.query(() => ({ data: table })),
})
