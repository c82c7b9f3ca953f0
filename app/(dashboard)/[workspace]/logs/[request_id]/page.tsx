"use client"

import { useParams } from "next/navigation.js"
import { DetailPage } from "#app/(dashboard)/detail-page.tsx"
import { type RouterOutputs, To, useQuery } from "#app/(dashboard)/workspace.tsx"
import { HttpStatus } from "#app/components/badge.tsx"
import { CodeBlock, Copyable } from "#app/components/code.tsx"
import { Card, Empty, Facts } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { Duration, ExactTimestamp } from "#app/components/timestamp.tsx"
import { keptDays } from "#shared/retention.ts"
import { partsOf, type Subject, subjectOf } from "./subject.ts"

type Logged = RouterOutputs["request"]["get"]

export default function Page() {
  const { request_id } = useParams<{ request_id: string }>()
  return (
    <DetailPage
      up={[["logs"], "Logs"]}
      name="Request"
      query={useQuery("request.get", { request_id })}
      missing={{
        code: "request_not_found",
        title: "This request is not in the log",
        text: `It may be older than ${keptDays.requests} days or have used a key of another workspace. If you just sent it, reload in a second.`,
      }}
      head={({ method, path, status }) => ({ code: `${method} ${path}`, badge: <HttpStatus status={status} /> })}
    >
      {(request) => <Request request={request} />}
    </DetailPage>
  )
}

function Request({ request }: { request: Logged }) {
  const subject = subjectOf(request)
  return (
    <div className="space-y-4">
      <Card>
        <Facts
          facts={{
            Received: <ExactTimestamp at={request.at} />,
            Duration: <Duration ms={request.duration_ms} />,
            Key: request.key_name,
            "Request id": <Copyable compact value={request.request_id} what="the request id" />,
            Error: request.error && (
              <Link href={`/docs/errors/${request.error}`} className="text-accent underline underline-offset-2">
                <code className="font-mono">{request.error}</code>
              </Link>
            ),
            ...(subject && { [subject.what]: <SubjectLink subject={subject} /> }),
          }}
        />
      </Card>
      {request.is_whole ? (
        <Contents request={request} />
      ) : (
        <Card>
          <Empty title="Headers and bodies were not kept">
            The workspace’s log was full for the day when this request arrived.
          </Empty>
        </Card>
      )}
    </div>
  )
}

const Contents = ({ request }: { request: Logged }) => (
  <>
    <Card title="Request" description="Selected headers only.">
      <div className="space-y-3">
        <Headers headers={request.headers} />
        {request.request_body !== null && <CodeBlock label="Body" code={pretty(request.request_body)} />}
      </div>
    </Card>
    <Card title="Response">
      {request.response_body === null ? (
        <p className="text-muted">
          {request.status < 400
            ? "Responses of successful GET requests are not stored. Send the request again to see it."
            : "No body."}
        </p>
      ) : (
        <CodeBlock label="Response body" code={pretty(request.response_body)} />
      )}
    </Card>
  </>
)

function SubjectLink({ subject: { id, parts, query = "" } }: { subject: Subject }) {
  const operation = useQuery("token.operation", { id }, { enabled: parts.length === 0 && /^op_/.test(id) })
  const code = <code className="font-mono">{id}</code>
  const below = operation.data ? partsOf(operation.data.mint_config, id) : parts
  if (below.length === 0) return code
  return (
    <To path={below} query={query} className="text-accent underline underline-offset-2">
      {code}
    </To>
  )
}

const Headers = ({ headers }: { headers: Record<string, string> }) => (
  <dl className="divide-y divide-line rounded-lg border border-line font-mono text-[13px]">
    {Object.entries(headers).map(([name, value]) => (
      <div key={name} className="grid gap-x-4 px-3 py-1.5 sm:grid-cols-[10rem_minmax(0,1fr)]">
        <dt className="text-muted">{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** JSON with line breaks. It is not parsed, because an amount must show every digit that was sent. */
function pretty(body: string): string {
  if (!/^[[{]/.test(body)) return body
  let depth = 0
  return body.replace(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g, (part, at: number) => {
    const line = (by: number) => {
      depth += by
      return `\n${"  ".repeat(depth)}`
    }
    if (part === "{" || part === "[") return /[}\]]/.test(body[at + 1]!) ? part : part + line(1)
    if (part === "}" || part === "]") return /[{[]/.test(body[at - 1]!) ? part : line(-1) + part
    if (part === ",") return part + line(0)
    return part === ":" ? ": " : part
  })
}
