import { openProcedure, router } from "#server/trpc/trpc.ts"
import { dashboardErrors, type ErrorCode, errors } from "#shared/errors.ts"

const table = Object.entries(errors).map(([code, [status, title, fix]]) => ({
  code: code as ErrorCode,
  status: status as number,
  title: title as string,
  fix: fix as string,
  /** No answer of the API: only the dashboard meets it. */
  dashboard: dashboardErrors.has(code as ErrorCode),
}))

/** What the public pages below /docs show of this server. */
export const docsRouter = router({
  /** The error table, in its own order: by status. */
  errors: openProcedure.query(() => ({ data: table })),
})
