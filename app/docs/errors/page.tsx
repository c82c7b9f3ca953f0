import { PageHeader } from "#app/components/frame.tsx"
import { Frame } from "#app/docs/frame.tsx"
import { statusMeanings } from "#shared/define-error.ts"
import { errorCodes, errors } from "#shared/errors.ts"
import { ErrorLinks } from "./links.tsx"

const statuses = [...new Set(errorCodes.map((code) => errors[code].status))].sort((one, other) => one - other)

/** Every error code, by status. */
export default function Page() {
  return (
    <Frame current="/docs/errors">
      <PageHeader
        title="Errors"
        description="Every error response has a code for your program, a sentence for people, and the request id."
      />
      {statuses.map((status) => (
        <section key={status} aria-labelledby={`status-${status}`} className="mt-8">
          <h2 id={`status-${status}`} className="mb-2 text-sm font-semibold">
            {status} <span className="font-normal text-muted">{statusMeanings[status]}</span>
          </h2>
          <ErrorLinks codes={errorCodes.filter((code) => errors[code].status === status)} />
        </section>
      ))}
    </Frame>
  )
}
