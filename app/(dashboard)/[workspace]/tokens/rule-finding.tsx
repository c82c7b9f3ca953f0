import { Badge } from "#app/components/badge.tsx"
import { Icon } from "#app/components/icons.tsx"
import type { IconName } from "#shared/icons.ts"
import { ruleOf } from "#shared/rules/rules.ts"
import type { Preflight } from "./use-token.ts"

type Finding = Preflight["rules"][number]

const looks: Record<Finding["outcome"], { icon: IconName; color: string; word: string }> = {
  passed: { icon: "check", color: "text-accent", word: "Passed" },
  refused: { icon: "cross", color: "text-danger", word: "Refused" },
  undecided: { icon: "question", color: "text-muted", word: "Undecided" },
  overridden: { icon: "alert", color: "text-notice", word: "Overridden" },
}

/** What a rule says about a movement. */
export function RuleFinding({ of: { code, outcome, detail } }: { of: Finding }) {
  const { icon, color, word } = looks[outcome]
  return (
    <div className="flex items-start gap-2">
      <Icon name={icon} className={`mt-0.5 size-4 ${color}`} />
      <p className="min-w-0">
        {outcome !== "overridden" && <span className="sr-only">{word}: </span>}
        <span className="font-medium">{ruleOf(code)?.name ?? code}</span>{" "}
        {outcome === "overridden" && <Badge tone="notice">{word}</Badge>}{" "}
        <span className="wrap-anywhere text-muted">{detail}</span>
      </p>
    </div>
  )
}

/** How many rules a forced act sets aside, in words; null if none. */
export function overridden(rules: readonly Finding[]): string | null {
  const count = rules.filter(({ outcome }) => outcome === "overridden").length
  if (count === 0) return null
  return count === 1 ? "one rule" : `${count} rules`
}
