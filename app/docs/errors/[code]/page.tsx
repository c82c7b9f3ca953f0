"use client"

import { useParams } from "next/navigation.js"
import { CodeBlock } from "#app/components/code.tsx"
import { Link } from "#app/components/link.tsx"
import { PageHeader } from "#app/components/page-header.tsx"
import { Failed, Loading } from "#app/components/states.tsx"
import { Badge } from "#app/components/ui/badge.tsx"
import { Card } from "#app/components/ui/card.tsx"
import { type DocumentedError, ErrorLinks, nearTo, useErrorTable } from "#app/docs/errors/table.tsx"

/** What one error means, and what to do about it. */
export default function Page() {
  const { code } = useParams<{ code: string }>()
  const { table, failure, load } = useErrorTable()
  const error = table?.find((one) => one.code === code)
  return (
    <main className="mx-auto max-w-3xl px-4 py-8 sm:px-6">
      <p className="mb-4 text-sm">
        <Link href="/docs/errors" prefetch={false} className="text-accent underline-offset-4 hover:underline">
          All errors
        </Link>
      </p>
      {failure ? (
        <Failed error={failure} onRetry={load} />
      ) : table === null ? (
        <Loading what="Loading the error" lines={6}>
          <title>{`${code} · Vouch`}</title>
        </Loading>
      ) : error ? (
        <Explained error={error} />
      ) : (
        <Unknown code={code} near={nearTo(code, table)} />
      )}
    </main>
  )
}

function Explained({
  error: { code, status, title, fix, isDashboardOnly, retry },
}: {
  error: DocumentedError
}) {
  return (
    <>
      <PageHeader
        title={code}
        heading={title}
        actions={<Badge tone={status >= 500 ? "bad" : "notice"}>HTTP {status}</Badge>}
      />
      <p className="-mt-3 mb-6 text-sm text-muted">
        The code is <code className="font-mono text-[13px] text-ink">{code}</code>
      </p>
      <div className="space-y-4">
        <Card title="What to do">
          <p>{fix}</p>
          <p className="mt-2 text-sm text-muted">{retry}</p>
        </Card>
        {!isDashboardOnly && (
          <Card
            title="What it looks like"
            description="Use the code in your program. The detail is for people; its wording may change."
          >
            <CodeBlock label={`Body of the ${status}`} code={exampleOf(code)} />
          </Card>
        )}
        <p className="text-sm text-muted">
          The request id is also in the header <code className="font-mono text-[13px]">X-Request-Id</code>. In
          the dashboard, Logs finds the request by it.
        </p>
      </div>
    </>
  )
}

const exampleOf = (code: string) =>
  JSON.stringify(
    {
      error: code,
      detail: "Names the field and says what to do.",
      request_id: "req_4f8NqYcTzHkLwR2sVbJm9X",
    },
    null,
    2,
  )

function Unknown({ code, near }: { code: string; near: DocumentedError[] }) {
  return (
    <>
      <PageHeader
        title="Unknown error"
        heading="Unknown error code"
        description={
          <>
            No error has the code <code className="font-mono text-[13px]">{code}</code>.
          </>
        }
      />
      {near.length > 0 && (
        <section aria-labelledby="near">
          <h2 id="near" className="mb-2 text-sm font-semibold">
            Did you mean one of these?
          </h2>
          <ErrorLinks errors={near} />
        </section>
      )}
    </>
  )
}
