import type { ReactNode } from "react"
import { To } from "#app/(dashboard)/to.tsx"
import { usePath, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Shortened } from "#app/components/code.tsx"
import { Icon } from "#app/components/icons.tsx"
import { Link, NewTab } from "#app/components/link.tsx"
import { buttonLook } from "#app/components/ui/button.tsx"
import type { IconName } from "#shared/icons.ts"
import { ruleOf } from "#shared/rules/rules.ts"
import type { Preflight, TokenView } from "./use-token.ts"

type Outcome = Preflight["rules"][number]["outcome"]

const looks: Record<Outcome, { icon: IconName; color: string; word: string }> = {
  passed: { icon: "check", color: "text-accent", word: "Passed" },
  refused: { icon: "cross", color: "text-danger", word: "Refused" },
  undecided: { icon: "question", color: "text-muted", word: "Undecided" },
}

/** What the API would answer now and the result of each rule, before anything is sent. */
export function PreflightPanel({ token, preflight }: { token: TokenView; preflight: Preflight }) {
  const { answer, rules } = preflight
  const isFine = answer.error === null
  return (
    <section aria-label="Rules check" className="rounded-lg border border-line">
      <div
        className={`rounded-t-lg px-3 py-2.5 ${isFine ? "bg-accent-soft text-accent" : "bg-danger-soft text-danger"}`}
      >
        <p role="status" className="flex items-start gap-2 font-medium">
          <Icon name={isFine ? "check" : "alert"} className="mt-0.5 size-4" />
          {isFine ? (
            "All rules passed."
          ) : rules.length > 0 ? (
            // The rule's own line below shows why.
            <span>
              This would be refused.<span className="sr-only"> {answer.detail}</span>
            </span>
          ) : (
            `This would be refused: ${answer.detail}`
          )}
        </p>
        {answer.error !== null && (
          <p className="mt-0.5 pl-6 text-[13px]">
            The API answers {answer.status}{" "}
            <NewTab href={`/docs/errors/${answer.error}`} className="font-mono underline underline-offset-2">
              {answer.error}
            </NewTab>
            .
          </p>
        )}
      </div>
      {rules.length > 0 && (
        <ul className="divide-y divide-line">
          {rules.map(({ code, outcome, detail }) => (
            <li key={code} className="flex items-start gap-2 px-3 py-2">
              <Icon name={looks[outcome].icon} className={`mt-0.5 size-4 ${looks[outcome].color}`} />
              <p className="min-w-0">
                <span className="sr-only">{looks[outcome].word}: </span>
                <span className="font-medium">{ruleOf(code)?.name ?? code}</span>{" "}
                <span className="text-muted">{detail}</span>
              </p>
            </li>
          ))}
        </ul>
      )}
      {!isFine && <Remedy token={token} preflight={preflight} />}
    </section>
  )
}

/** What to do about a refusal, if this page knows. */
function Remedy({
  token,
  preflight: { answer, unverified, required_schema },
}: {
  token: TokenView
  preflight: Preflight
}) {
  const path = usePath()
  const { can } = useWorkspace()
  const remedy = answer.error === null ? null : ruleOf(answer.error)?.remedy
  if (remedy === "verify" && required_schema !== null) {
    if (!can("kyc:write")) return null
    return (
      <Advice>
        {unverified.map((wallet) => (
          <Link
            key={wallet}
            href={`${path("sessions")}?${new URLSearchParams({ wallet, schema: required_schema })}`}
            prefetch={false}
            className={buttonLook({ size: "sm" })}
          >
            <span>
              Start a session for <Shortened value={wallet} />
            </span>
          </Link>
        ))}
      </Advice>
    )
  }
  if (remedy === "unpause") {
    return <Advice>Unpause the token, or wait until it is unpaused.</Advice>
  }
  if (remedy === "change_rules") {
    if (!can("config:write")) return null
    return (
      <Advice>
        Enter less, or{" "}
        <To path={["tokens", token.id, "rules"]} className="text-accent underline underline-offset-2">
          change the token's rules
        </To>
        .
      </Advice>
    )
  }
  return null
}

function Advice({ children }: { children: ReactNode }) {
  return <div className="border-t border-line px-3 py-2.5 text-[13px]">{children}</div>
}
