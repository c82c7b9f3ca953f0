import { notFound } from "next/navigation.js"
import { Badge } from "#app/components/badge.tsx"
import { PageHeader } from "#app/components/frame.tsx"
import { type Endpoint, endpointAt, placeOf } from "#app/docs/api/openapi.ts"
import { EndpointExamples, EndpointParts } from "#app/docs/api/parts.tsx"
import { CopyButtons } from "#app/docs/copy-buttons.tsx"
import { Frame, Neighbours, WithExamples } from "#app/docs/frame.tsx"
import { Inline, Markdown } from "#app/docs/text.tsx"
import "../../prose.css"

/** One endpoint: its purpose, parameters and responses. Its address has its `operationId`. */
export default async function Page({ params }: { params: Promise<{ operation: string }> }) {
  const { operation } = await params
  const found = endpointAt(operation)
  if (found === null) notFound()
  const { tag, endpoint, before, after } = found
  const { method, path, summary, description } = endpoint
  return (
    <Frame current={placeOf(endpoint)} isWide>
      <WithExamples
        first={
          <>
            <p className="mb-2 text-sm text-muted">{tag.name}</p>
            <PageHeader title={summary} />
            <div className="space-y-2 text-sm">
              <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <code className="font-mono text-[13px]">
                  <span className="font-semibold text-accent">{method}</span> /v1{path}
                </code>
                {endpoint.isDeprecated && <Badge tone="notice">Deprecated</Badge>}
              </p>
              <p className="text-[13px] text-muted">
                <Access endpoint={endpoint} />
              </p>
              <Markdown text={description} />
            </div>
          </>
        }
        examples={<EndpointExamples tag={tag} endpoint={endpoint} />}
      >
        <EndpointParts endpoint={endpoint} />
      </WithExamples>
      <CopyButtons />
      <Neighbours
        before={before && { href: placeOf(before), title: before.summary }}
        after={after && { href: placeOf(after), title: after.summary }}
      />
    </Frame>
  )
}

function Access({ endpoint: { access, scope } }: { endpoint: Endpoint }) {
  if (access === "open") return "Needs no key."
  if (access === "signature") return "Needs no key: a KYC provider calls it and signs the request."
  if (scope === null) return "Any key may call it."
  return <Inline text={`Needs a key with the scope \`${scope}\`.`} />
}
