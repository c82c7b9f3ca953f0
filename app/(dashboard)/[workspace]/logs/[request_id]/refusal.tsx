import { ClaimList } from "#app/(dashboard)/claim-list.tsx"
import { type RouterOutputs, To, useMutation, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { FormError } from "#app/components/form.tsx"
import { Card, Facts } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { problemOf } from "#app/components/problem.ts"
import { timeIn } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { useTimeZone } from "#app/components/zone.ts"
import { summariesOf } from "#shared/rules/fields.ts"
import { ruleOf } from "#shared/rules/rules.ts"

type Logged = RouterOutputs["request"]["get"]

const link = "rounded-sm text-accent underline underline-offset-2"

/** Why a request was refused: the error, the rule behind it, and on request the claims that the rule read. */
export function Refusal({ request, error }: { request: Logged; error: string }) {
  const { can } = useWorkspace()
  const { token } = request
  const rule = ruleOf(error)
  return (
    <Card title={request.status < 500 ? "Why it was refused" : "Why it failed"} className="space-y-4">
      <Facts
        facts={{
          Error: (
            <Link href={`/docs/errors/${error}`} className={link}>
              <code className="font-mono text-[13px]">{error}</code>
            </Link>
          ),
          Detail: detailOf(request.response_body),
          Rule:
            rule &&
            (token ? (
              <>
                <To path={can("config:write") ? ["tokens", token.id, "rules"] : ["tokens", token.id]} className={link}>
                  {rule.name}
                </To>{" "}
                of {token.name}
              </>
            ) : (
              rule.name
            )),
          "Current rule": rule && token && <SetNow rules={token.rules} names={Object.keys(rule.fields)} />,
        }}
      />
      {request.claims_decided &&
        (can("claims:read") ? (
          <RefusedClaims requestId={request.request_id} />
        ) : (
          <p className="text-[13px] text-muted">
            The rule read claims of the investor. Owners and compliance officers can see them.
          </p>
        ))}
    </Card>
  )
}

function SetNow({ rules, names }: { rules: NonNullable<Logged["token"]>["rules"]; names: readonly string[] }) {
  const zone = useTimeZone()
  const set = summariesOf(rules, { now: new Date(), formatTime: (time) => timeIn(zone, time) })
  const mine = set.filter(({ name }) => names.includes(name))
  if (names.length === 0) return null
  return mine.length === 0 ? "Not set any more" : mine.map(({ text }) => text).join(" ")
}

/** Read only on request, because each view is an entry in the audit log. */
function RefusedClaims({ requestId }: { requestId: string }) {
  const look = useMutation((api) => api.request.viewClaims.mutate({ request_id: requestId }))
  if (look.data)
    return look.data.data.length === 0 ? (
      <p role="status" className="text-muted">
        No claims are stored any more.
      </p>
    ) : (
      <div className="border-t border-line pt-4">
        <ClaimList known={look.data.data} />
      </div>
    )
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <Button size="sm" pending={look.isPending} onClick={() => look.mutate()}>
        Show the claims it read
      </Button>
      <p className="text-[13px] text-muted">The log masks them. Viewing them is recorded in the audit log.</p>
      {look.error && <FormError problem={problemOf(look.error)} />}
    </div>
  )
}

function detailOf(body: string | null): string | null {
  try {
    const { detail } = JSON.parse(body ?? "{}") as { detail?: unknown }
    return typeof detail === "string" ? detail : null
  } catch {
    return null
  }
}
