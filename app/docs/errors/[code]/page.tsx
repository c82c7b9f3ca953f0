import { Badge } from "#app/components/badge.tsx"
import { CodeBlock } from "#app/components/code.tsx"
import { Card, PageHeader } from "#app/components/frame.tsx"
import { ErrorLinks } from "#app/docs/errors/links.tsx"
import { nearTo } from "#app/docs/errors/near.ts"
import { requestText } from "#app/docs/errors/request-text.ts"
import { Frame } from "#app/docs/frame.tsx"
import { type ErrorExample, errorExamples } from "#shared/error-examples.ts"
import { type ErrorCode, errors, isErrorCode, retryAdvice } from "#shared/errors.ts"

/** What an error means and what to do about it. An unknown code answers 404. */
export default async function Page({ params }: { params: Promise<{ code: string }> }) {
  const { code } = await params
  return (
    <Frame current="/docs/errors">
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
          <p className="mt-2 text-sm text-muted">{retryAdvice(code)}</p>
        </Card>
        <Shown example={errorExamples[code]} isDashboardOnly={isDashboardOnly} />
        <p className="text-sm text-muted">
          The request id is also in the header <code className="font-mono text-[13px]">X-Request-Id</code>. In the
          dashboard, Logs finds the request by it.
        </p>
      </div>
    </>
  )
}

/** The answer of the server when its tests caused the error. */
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
        label={`${isDashboardOnly ? "Error in the body" : "Body"} of the ${example.status}`}
        code={JSON.stringify(example.body, null, 2)}
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
