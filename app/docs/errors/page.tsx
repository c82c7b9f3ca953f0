"use client"

import { PageHeader } from "#app/components/page-header.tsx"
import { Failed, Loading } from "#app/components/states.tsx"
import { ErrorLinks, useErrorTable } from "./table.tsx"

/** Every error of this server, by status. */
export default function Page() {
  const { table, failure, load } = useErrorTable()
  const statuses = new Map(table?.map(({ status, meaning }) => [status, meaning]))
  return (
    <main className="mx-auto max-w-3xl px-4 py-8 sm:px-6">
      <PageHeader
        title="Errors"
        description="Every error response has a code for your program, a sentence for people, and the request id."
      />
      {failure ? (
        <Failed error={failure} onRetry={load} />
      ) : table === null ? (
        <Loading what="Loading errors" lines={12} />
      ) : (
        [...statuses]
          .sort(([one], [other]) => one - other)
          .map(([status, meaning]) => (
            <section key={status} aria-labelledby={`status-${status}`} className="mt-8">
              <h2 id={`status-${status}`} className="mb-2 text-sm font-semibold">
                {status} <span className="font-normal text-muted">{meaning}</span>
              </h2>
              <ErrorLinks errors={table.filter((error) => error.status === status)} />
            </section>
          ))
      )}
    </main>
  )
}
