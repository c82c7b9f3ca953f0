import type { ReactNode } from "react"
import { neededApprovals } from "#app/(dashboard)/[workspace]/approvals/needed.ts"
import { nextSteps, type Owner, subjectOf, textOf } from "#app/(dashboard)/[workspace]/tokens/finding-words.ts"
import { Detail, overridden, RuleFindings } from "#app/(dashboard)/[workspace]/tokens/rule-finding.tsx"
import { useOwners } from "#app/(dashboard)/[workspace]/tokens/use-owners.ts"
import type { Preflight, TokenView } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { nameOf } from "#app/(dashboard)/person-words.ts"
import { useSchemas } from "#app/(dashboard)/schema-name.tsx"
import { To, usePath, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Shortened } from "#app/components/code.tsx"
import { Loading } from "#app/components/frame.tsx"
import { Icon } from "#app/components/icons.tsx"
import { Link, NewTab } from "#app/components/link.tsx"
import { buttonLook } from "#app/components/ui/button.tsx"
import { ruleOf } from "#shared/rules/rules.ts"
import { type Checked, isComplete, type Sending } from "./use-preflight.ts"

/** The panel, or what it waits for. */
export function RulesCheck({ sending, checked }: { sending: Sending; checked: Checked }) {
  const { preflight, isCurrent, problem } = checked
  if (preflight) {
    return (
      <div aria-busy={!isCurrent} className={isCurrent ? "" : "opacity-60"}>
        <PreflightPanel sending={sending} preflight={preflight} />
      </div>
    )
  }
  if (isComplete(sending) && !problem) return <Loading what="Checking the rules" lines={3} />
  return (
    <p className="text-[13px] text-muted">
      Enter {sending.kind === "burn" ? "an amount" : "a wallet and an amount"} to check the rules.
    </p>
  )
}

/** The button's words: what it does, or that it only asks for it. */
export const submitLabel = (label: string, { preflight }: Checked): string =>
  preflight && preflight.approvals_needed > 0 ? "Request approval" : label

/** What the API would answer now and the result of each rule, before anything is sent. */
function PreflightPanel({ sending, preflight }: { sending: Sending; preflight: Preflight }) {
  const { answer, rules, required_schema, approvals_needed, approver_roles } = preflight
  const people = useOwners([sending.from, sending.to])
  const schemas = useSchemas()
  const isFine = answer.error === null
  const overrides = overridden(rules)
  const isRefused = rules.some(({ outcome }) => outcome === "refused")
  return (
    <section aria-label="Rules check" className="rounded-lg border border-line">
      <div
        className={`rounded-t-lg px-3 py-2.5 ${isFine ? "bg-accent-soft text-accent" : "bg-danger-soft text-danger"}`}
      >
        <p role="status" className="flex items-start gap-2 font-medium">
          <Icon name={isFine ? "check" : "alert"} className="mt-0.5 size-4" />
          {isFine ? (
            overrides === null ? (
              "All rules passed."
            ) : (
              `Allowed. It overrides ${overrides}.`
            )
          ) : isRefused ? (
            // The rule's own line below shows why.
            <span>
              This would be refused.<span className="sr-only"> {textOf(answer.detail!, people, schemas)}</span>
            </span>
          ) : (
            <span>
              This would be refused: <Detail text={answer.detail!} people={people} />
            </span>
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
      <RuleFindings of={rules} people={people} schema={required_schema} />
      {isFine && approvals_needed > 0 && (
        <p className="flex items-start gap-2 border-t border-line px-3 py-2.5">
          <Icon name="clock" className="mt-0.5 size-4 text-notice" />
          <span>
            A policy requires {neededApprovals(approvals_needed, approver_roles)}. Nothing happens before that.
          </span>
        </p>
      )}
      {!isFine && <Remedy token={sending.token} preflight={preflight} people={people} />}
    </section>
  )
}

type RemedyProps = { token: TokenView; preflight: Preflight; people: readonly Owner[] }

/** What to do about a refusal, if this page knows. */
function Remedy({ token, preflight: { answer, unverified, required_schema }, people }: RemedyProps) {
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
              Start a session for <Owned wallet={wallet} people={people} />
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
  const step = nextSteps[answer.error ?? ""]
  const person = subjectOf(answer.detail ?? "", people)
  if (step === undefined) return null
  return (
    <Advice>
      <p>{step}</p>
      <p className="mt-1 flex flex-wrap gap-x-4 gap-y-1">
        {person && (
          <NewTab href={path("investors", person.investor_id)} className="text-accent underline underline-offset-2">
            Open {nameOf(person)}
          </NewTab>
        )}
        {ruleHasFields(answer.error) && can("config:write") && (
          <NewTab href={path("tokens", token.id, "rules")} className="text-accent underline underline-offset-2">
            Open the token's rules
          </NewTab>
        )}
      </p>
    </Advice>
  )
}

const ruleHasFields = (code: string | null): boolean => Object.keys(ruleOf(code ?? "")?.fields ?? {}).length > 0

/** A wallet by its person's name, if it has one. */
function Owned({ wallet, people }: { wallet: string; people: readonly Owner[] }) {
  const person = people.find(({ user_pubkey }) => user_pubkey === wallet)
  return person?.external_id ? person.external_id : <Shortened value={wallet} />
}

function Advice({ children }: { children: ReactNode }) {
  return <div className="border-t border-line px-3 py-2.5 text-[13px]">{children}</div>
}
