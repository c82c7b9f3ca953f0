"use client"

import type { ReactNode } from "react"
import { usePath, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Shortened } from "#app/components/copyable.tsx"
import { Icon, type IconName } from "#app/components/icons.tsx"
import { Link } from "#app/components/link.tsx"
import { Button } from "#app/components/ui/button.tsx"
import type { TokenView, Verdict } from "./answers.ts"

type Outcome = Verdict["rules"][number]["outcome"]

const looks: Record<Outcome, { icon: IconName; colour: string; word: string }> = {
  passed: { icon: "check", colour: "text-accent", word: "Passed" },
  refused: { icon: "cross", colour: "text-danger", word: "Refused" },
  undecided: { icon: "question", colour: "text-muted", word: "Undecided" },
}

const ruleNames: Record<string, string> = {
  mint_paused: "Not paused",
  transfers_locked: "Lock-up",
  wallet_not_verified: "Verified",
  country_not_allowed: "Country",
  not_accredited: "Accredited",
  supply_cap_exceeded: "Supply",
  holder_limit_reached: "Holders",
  balance_limit_exceeded: "Balance limit",
  insufficient_balance: "Balance",
}

/** What the API would answer now, and what each rule says, before anything is sent. */
export function VerdictPanel({ token, verdict }: { token: TokenView; verdict: Verdict }) {
  const { answer, rules } = verdict
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
            <Link
              href={`/docs/errors/${answer.error}`}
              target="_blank"
              prefetch={false}
              className="font-mono underline underline-offset-2"
            >
              {answer.error}
              <span className="sr-only"> (opens a new tab)</span>
            </Link>
            .
          </p>
        )}
      </div>
      {rules.length > 0 && (
        <ul className="divide-y divide-line">
          {rules.map(({ code, outcome, detail }) => (
            <li key={code} className="flex items-start gap-2 px-3 py-2">
              <Icon name={looks[outcome].icon} className={`mt-0.5 size-4 ${looks[outcome].colour}`} />
              <p className="min-w-0">
                <span className="sr-only">{looks[outcome].word}: </span>
                <span className="font-medium">{ruleNames[code] ?? code}</span>{" "}
                <span className="text-muted">{detail}</span>
              </p>
            </li>
          ))}
        </ul>
      )}
      {!isFine && <Remedy token={token} verdict={verdict} />}
    </section>
  )
}

/** What to do about a refusal, as far as this page knows. */
function Remedy({
  token,
  verdict: { answer, unverified, required_schema },
}: {
  token: TokenView
  verdict: Verdict
}) {
  const path = usePath()
  const { can } = useWorkspace()
  if (answer.error === "wallet_not_verified" && required_schema !== null) {
    if (!can("kyc:write")) return null
    return (
      <Advice>
        {unverified.map((wallet) => (
          <Button key={wallet} asChild size="sm">
            <Link
              href={`${path("sessions")}?${new URLSearchParams({ wallet, schema: required_schema })}`}
              prefetch={false}
            >
              <span>
                Start a session for <Shortened value={wallet} />
              </span>
            </Link>
          </Button>
        ))}
      </Advice>
    )
  }
  if (answer.error === "mint_paused") {
    return <Advice>Unpause the token, or wait until it is unpaused.</Advice>
  }
  if (
    ["holder_limit_reached", "balance_limit_exceeded", "supply_cap_exceeded"].includes(answer.error ?? "")
  ) {
    if (!can("config:write")) return null
    return (
      <Advice>
        Enter less, or{" "}
        <Link
          href={path("tokens", token.id, "rules")}
          prefetch={false}
          className="text-accent underline underline-offset-2"
        >
          change the token's rules
        </Link>
        .
      </Advice>
    )
  }
  return null
}

function Advice({ children }: { children: ReactNode }) {
  return <div className="border-t border-line px-3 py-2.5 text-[13px]">{children}</div>
}
