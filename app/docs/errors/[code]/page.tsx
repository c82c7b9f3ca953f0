import { Badge } from "#app/components/badge.tsx"
import { CodeBlock } from "#app/components/code.tsx"
import { Card, PageHeader } from "#app/components/frame.tsx"
import { endpointsWith, placeOf } from "#app/docs/api/openapi.ts"
import { requestText, responseText } from "#app/docs/errors/http-text.ts"
import { ErrorLinks } from "#app/docs/errors/links.tsx"
import { nearTo } from "#app/docs/errors/near.ts"
import { Frame, WithExamples } from "#app/docs/frame.tsx"
import { type ErrorExample, errorExamples } from "#shared/error-examples.ts"
import { type ErrorCode, errors, isErrorCode, retryAdvice } from "#shared/errors.ts"

/** What an error means and what to do about it. An unknown code answers 404. */
export default async function Page({ params }: { params: Promise<{ code: string }> }) {
  const { code } = await params
  return (
    <Frame current="/docs/errors" isWide>
      <p className="mb-4 text-sm">
        <a href="/docs/errors" className="text-accent underline-offset-4 hover:underline">
          All errors
        </a>
      </p>
      {isErrorCode(code) ? <Explained code={code} /> : <Unknown code={decoded(code)} />}
    </Frame>
  )
}

function Explained({ code }: { code: ErrorCode }) {
  const { status, title, fix, isDashboardOnly } = errors[code]
  return (
    <WithExamples
      first={
        <>
          <PageHeader
            title={code}
            heading={title}
            actions={<Badge tone={status >= 500 ? "bad" : "notice"}>HTTP {status}</Badge>}
          />
          <p className="-mt-3 mb-6 text-sm text-muted">
            The code is <code className="font-mono text-[13px] text-ink">{code}</code>
          </p>
          <Card title="What to do">
            <p>{fix}</p>
            <p className="mt-2 text-sm text-muted">{retryAdvice(code)}</p>
          </Card>
        </>
      }
      examples={<Shown example={errorExamples[code]} isDashboardOnly={isDashboardOnly} />}
    >
      <div className="space-y-4">
        {!isDashboardOnly && <Endpoints code={code} />}
        <p className="text-sm text-muted">
          The request id is also in the header <code className="font-mono text-[13px]">X-Request-Id</code>. In the
          dashboard, Logs finds the request by it, and lists all requests with this code.
        </p>
      </div>
    </WithExamples>
  )
}

/** The endpoints that return it, collapsed if nearly all do. */
function Endpoints({ code }: { code: ErrorCode }) {
  const endpoints = endpointsWith(code)
  if (endpoints.length === 0) {
    return (
      <Card title="Which endpoints return it">
        <p className="text-sm text-muted">No endpoint lists it: Vouch returns it before it knows the endpoint.</p>
      </Card>
    )
  }
  const list = (
    <ul className="divide-y divide-line border-t border-line">
      {endpoints.map((endpoint) => (
        <li key={endpoint.id}>
          <a
            href={placeOf(endpoint)}
            className="group flex flex-col justify-between gap-x-6 py-2 text-sm sm:flex-row sm:items-baseline"
          >
            <code className="font-mono text-[13px] break-all group-hover:underline">
              <span className="font-semibold text-accent">{endpoint.method}</span> {endpoint.path}
            </code>
            <span className="text-muted sm:text-right">{endpoint.summary}</span>
          </a>
        </li>
      ))}
    </ul>
  )
  return (
    <Card title="Which endpoints return it">
      {endpoints.length <= MOST_SHOWN ? (
        list
      ) : (
        <details>
          <summary className="cursor-pointer py-1 text-sm text-accent">{endpoints.length} endpoints</summary>
          {list}
        </details>
      )}
    </Card>
  )
}

const MOST_SHOWN = 12

/** What a client received when the server's tests caused the error. */
const Shown = ({ example, isDashboardOnly }: { example: ErrorExample; isDashboardOnly: boolean }) => (
  <Card
    title="What it looks like"
    description={
      isDashboardOnly
        ? "Only Vouch’s own pages send this request, and show the detail. It is not part of the API."
        : "Use the code in your program. The detail is for people; its wording may change."
    }
  >
    <CodeBlock label="Request" code={requestText(example)} />
    <div className="mt-4">
      <CodeBlock
        label={isDashboardOnly ? `Error in the body of the ${example.status}` : "Response"}
        code={isDashboardOnly ? JSON.stringify(example.body, null, 2) : responseText(example)}
      />
    </div>
  </Card>
)

/** The code from the address. If it cannot be decoded, it stays unchanged. */
function decoded(code: string): string {
  try {
    return decodeURIComponent(code)
  } catch {
    return code
  }
}

function Unknown({ code }: { code: string }) {
  const near = nearTo(code)
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
          <ErrorLinks codes={near} />
        </section>
      )}
    </>
  )
}
