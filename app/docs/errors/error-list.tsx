"use client"

import { PageHeader } from "#app/components/page-header.tsx"
import { Failed, Loading } from "#app/components/states.tsx"
import { ErrorLinks } from "./error-links.tsx"
import { useErrorTable } from "./table.ts"

const meanings: Record<number, string> = {
  400: "Malformed request",
  401: "Not authenticated",
  403: "Not allowed",
  404: "Not found",
  405: "Method not allowed",
  409: "Conflict",
  413: "Too large",
  415: "Unsupported media type",
  422: "Validation failed",
  429: "Too many requests or over the quota",
  500: "Server error",
  503: "Temporarily unavailable",
}

/** Every error of this server, by status. */
export function ErrorList() {
  const { table, failure, load } = useErrorTable()
  const statuses = [...new Set(table?.map(({ status }) => status))].sort((one, other) => one - other)
  return (
    <main className="mx-auto max-w-3xl px-4 py-8 sm:px-6">
      <PageHeader
        title="Errors"
        description="Every answer that is not a success has a code to act on, a sentence for a person, and the request's id."
      />
      {failure ? (
        <Failed error={failure} onRetry={load} />
      ) : table === null ? (
        <Loading what="Loading errors" lines={12} />
      ) : (
        statuses.map((status) => (
          <section key={status} aria-labelledby={`status-${status}`} className="mt-8">
            <h2 id={`status-${status}`} className="mb-2 text-sm font-semibold">
              {status} <span className="font-normal text-muted">{meanings[status]}</span>
            </h2>
            <ErrorLinks errors={table.filter((error) => error.status === status)} />
          </section>
        ))
      )}
    </main>
  )
}
