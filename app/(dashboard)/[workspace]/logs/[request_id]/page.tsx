"use client"

import { Check, Terminal } from "lucide-react"
import { useParams } from "next/navigation.js"
import type { ReactNode } from "react"
import { DetailPage } from "#app/(dashboard)/detail-page.tsx"
import { Headers, pretty } from "#app/(dashboard)/http-parts.tsx"
import { InvestorLink, type RouterOutputs, To, useQuery } from "#app/(dashboard)/workspace.tsx"
import { HttpStatus } from "#app/components/badge.tsx"
import { CodeBlock, Copyable, useCopy } from "#app/components/code.tsx"
import { Card, Empty, Facts } from "#app/components/frame.tsx"
import { Duration, ExactTimestamp } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { keptDays } from "#shared/retention.ts"
import { curlOf } from "./curl.ts"
import { Refusal } from "./refusal.tsx"
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
      head={(request) => ({
        code: `${request.method} ${request.path}`,
        badge: <HttpStatus status={request.status} />,
        actions: request.is_whole && <CopyAsCurl request={request} />,
      })}
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
            ...walletsOf(request),
            Token: request.token && <To path={["tokens", request.token.id]}>{request.token.name}</To>,
            ...(subject && { [subject.what]: <SubjectLink subject={subject} /> }),
          }}
        />
      </Card>
      {request.error !== null && <Refusal request={request} error={request.error} />}
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

const link = "rounded-sm text-accent underline underline-offset-2"

/** Each wallet with its investor, by what it is to the request. */
const walletsOf = ({ wallets }: Logged): Record<string, ReactNode> =>
  Object.fromEntries(
    wallets.map(({ role, wallet, investor }, n) => [
      // Names of facts are unique.
      wallets.findIndex((one) => one.role === role) === n ? role : `${role} ${n + 1}`,
      <span key={wallet} className="flex flex-wrap items-baseline gap-x-3">
        <Copyable compact value={wallet} what="the wallet" />
        {investor ? <InvestorLink investor={investor} /> : <span className="text-muted">No investor</span>}
      </span>,
    ]),
  )

const Contents = ({ request }: { request: Logged }) => (
  <>
    <Card title="Request" description="Selected headers only.">
      <div className="space-y-3">
        <Headers headers={request.headers} />
        {request.request_body !== null ? (
          <CodeBlock label="Body" code={pretty(request.request_body)} />
        ) : (
          Number(request.headers["content-length"] ?? 0) > 0 && (
            <p className="text-[13px] text-muted">
              The body is not stored: the request was refused before it was read.
            </p>
          )
        )}
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

/** A command that sends the request again. Browsers without a clipboard show it. */
function CopyAsCurl({ request }: { request: Logged }) {
  const command = curlOf(request, window.location.origin)
  const { outcome, copy } = useCopy(command)
  if (outcome === "refused") return <CodeBlock label="Command" code={command} />
  return (
    <>
      <Button onClick={copy}>
        {outcome === "copied" ? <Check aria-hidden="true" /> : <Terminal aria-hidden="true" />}
        {outcome === "copied" ? "Copied" : "Copy as curl"}
      </Button>
      <span role="status" className="sr-only">
        {outcome === "copied" ? "Copied. Put your key in VOUCH_API_KEY." : ""}
      </span>
    </>
  )
}

function SubjectLink({ subject: { id, parts } }: { subject: Subject }) {
  const operation = useQuery("token.operation", { id }, { enabled: parts.length === 0 && /^op_/.test(id) })
  const code = <code className="font-mono">{id}</code>
  const below = operation.data ? partsOf(operation.data.mint_config, id) : parts
  if (below.length === 0) return code
  return (
    <To path={below} className={link}>
      {code}
    </To>
  )
}
