"use client"

import { PageHeader } from "../../components/page-header.tsx"
import { Failed, Loading } from "../../components/states.tsx"
import { ErrorLinks } from "./error-links.tsx"
import { useErrorTable } from "./table.ts"

const meanings: Record<number, string> = {
  400: "The request cannot be read",
  401: "Nobody is known by it",
  403: "It is known who asks, and that may not be",
  404: "There is no such thing",
  405: "There is no such method",
  409: "It collides with something that is there",
  413: "It is too large",
  415: "It is of another type",
  422: "It was read, and cannot be done",
  429: "It is too much",
  500: "It failed on our side",
  503: "Something that it needs is not there now",
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
