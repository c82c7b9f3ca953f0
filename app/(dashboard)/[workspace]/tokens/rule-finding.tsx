import { useSchemas } from "#app/(dashboard)/schema-name.tsx"
import { useMutation, usePath, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Badge } from "#app/components/badge.tsx"
import { Shortened } from "#app/components/code.tsx"
import { Icon } from "#app/components/icons.tsx"
import { NewTab } from "#app/components/link.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { countryName } from "#shared/countries.ts"
import { countOf } from "#shared/counts.ts"
import type { IconName } from "#shared/icons.ts"
import { ruleOf } from "#shared/rules/rules.ts"
import { type Owner, partsOf, subjectOf } from "./finding-words.ts"
import type { Preflight } from "./use-token.ts"

type Finding = Preflight["rules"][number]

const looks: Record<Finding["outcome"], { icon: IconName; color: string; word: string }> = {
  passed: { icon: "check", color: "text-accent", word: "Passed" },
  refused: { icon: "cross", color: "text-danger", word: "Refused" },
  undecided: { icon: "question", color: "text-muted", word: "Undecided" },
  overridden: { icon: "alert", color: "text-notice", word: "Overridden" },
}

type RuleFindingProps = {
  of: Finding
  /** The people behind the movement's wallets. */
  people: readonly Owner[]
  /** The schema whose claims the rules read. */
  schema: string | null
}

/** What a rule says about a movement. */
function RuleFinding({ of: { code, outcome, detail }, people, schema }: RuleFindingProps) {
  const { icon, color, word } = looks[outcome]
  const person = code === "country_not_allowed" && outcome !== "passed" ? subjectOf(detail, people) : null
  return (
    <div className="flex items-start gap-2">
      <Icon name={icon} className={`mt-0.5 size-4 ${color}`} />
      <p className="min-w-0">
        {outcome !== "overridden" && <span className="sr-only">{word}: </span>}
        <span className="font-medium">{ruleOf(code)?.name ?? code}</span>{" "}
        {outcome === "overridden" && <Badge tone="notice">{word}</Badge>}{" "}
        <span className="wrap-anywhere text-muted">
          {person ? (
            <RefusedCountry key={person.user_pubkey} of={person} schema={schema} />
          ) : (
            <Detail text={detail} people={people} />
          )}
        </span>
      </p>
    </div>
  )
}

type RuleFindingsProps = Omit<RuleFindingProps, "of"> & {
  of: readonly Finding[]
  /** Rules that stay in view although they pass. */
  inView?: readonly string[]
}

/** What rules say about a movement: refusals first, and those that pass folded. */
export function RuleFindings({ of, inView = [], ...about }: RuleFindingsProps) {
  const isFolded = ({ code, outcome }: Finding) => outcome === "passed" && !inView.includes(code)
  const folded = of.filter(isFolded)
  const shown = [
    ...of.filter(({ outcome }) => outcome === "refused"),
    ...of.filter((finding) => finding.outcome !== "refused" && !isFolded(finding)),
  ]
  const others = shown.some(({ outcome }) => outcome === "passed") ? "other rule" : "rule"
  return (
    <>
      <Findings of={shown} {...about} />
      {folded.length > 0 && (
        <details className={shown.length > 0 ? "border-t border-line" : ""}>
          <summary className="cursor-pointer px-3 py-2 text-muted">
            {countOf(folded.length, others)} {folded.length === 1 ? "passes" : "pass"}
          </summary>
          <Findings of={folded} {...about} />
        </details>
      )}
    </>
  )
}

const Findings = ({ of, ...about }: Omit<RuleFindingsProps, "inView">) => (
  <ul className="divide-y divide-line empty:hidden">
    {of.map((finding) => (
      <li key={finding.code} className="px-3 py-2">
        <RuleFinding of={finding} {...about} />
      </li>
    ))}
  </ul>
)

/** A detail of the API for members, with the names of people. */
export function Detail({ text, people }: { text: string; people: readonly Owner[] }) {
  return partsOf(text, people, useSchemas()).map((part, at) =>
    typeof part === "string" ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other key
      <PersonLink key={at} of={part} />
    ),
  )
}

/** Links to a person's page in a new tab, because the form stays. */
function PersonLink({ of }: { of: Owner }) {
  const path = usePath()
  return (
    <NewTab
      href={path("investors", of.investor_id)}
      className="text-ink underline decoration-line underline-offset-2 hover:decoration-current"
    >
      {of.external_id === null ? (
        <Shortened value={of.user_pubkey} />
      ) : (
        <span title={of.user_pubkey}>{of.external_id}</span>
      )}
    </NewTab>
  )
}

/** That the country rules refuse a person. The country is a claim: it is read on request, and that is recorded. */
function RefusedCountry({ of, schema }: { of: Owner; schema: string | null }) {
  const { can } = useWorkspace()
  const view = useMutation((api) => api.investor.viewClaims.mutate({ id: of.investor_id }), { refresh: false })
  const claims = view.data?.data.find((one) => one.user_pubkey === of.user_pubkey && one.schema === schema)?.claims
  const country = claims?.country === undefined ? "country not known" : countryName(claims.country)
  return (
    <>
      <PersonLink of={of} />
      {view.data && `, ${country}`}: not allowed by this token.
      {!view.data && schema !== null && can("claims:read") && (
        <>
          {" "}
          <Button
            variant="link"
            className="text-[13px]!"
            title="Recorded in the audit log"
            pending={view.isPending}
            onClick={() => view.mutate()}
          >
            Show the country
          </Button>
        </>
      )}
    </>
  )
}

/** How many rules a forced act sets aside, in words; null if none. */
export function overridden(rules: readonly Finding[]): string | null {
  const count = rules.filter(({ outcome }) => outcome === "overridden").length
  if (count === 0) return null
  return count === 1 ? "one rule" : `${count} rules`
}
