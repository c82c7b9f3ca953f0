import { To } from "#app/(dashboard)/to.tsx"
import { useMutation } from "#app/(dashboard)/workspace.tsx"
import type { RouterOutputs } from "#app/api.ts"
import { Shortened } from "#app/components/code.tsx"
import { Facts } from "#app/components/facts.tsx"
import { FormError } from "#app/components/form.tsx"
import { problemOf } from "#app/components/problem.ts"
import { Timestamp } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Card } from "#app/components/ui/card.tsx"
import { type ClaimName, type Claims, contradictions, claims as definitions } from "#shared/claims.ts"
import type { InvestorView } from "./view.ts"

type Known = RouterOutputs["investor"]["viewClaims"]["data"]

const countryNames = new Intl.DisplayNames("en", { type: "region" })

const yesOrNo = (value: boolean | undefined) => (value === undefined ? "Not reported" : value ? "Yes" : "No")

/** What providers reported. Read only on request, because each view is an entry in the audit log. */
export function ClaimsCard({ investor: { investor_id, has_claims } }: { investor: InvestorView }) {
  const look = useMutation((api) => api.investor.viewClaims.mutate({ id: investor_id }))
  return (
    <Card
      title="Claims"
      description="What providers reported. Viewing them is recorded in the audit log."
      actions={
        has_claims &&
        !look.data && (
          <Button size="sm" pending={look.isPending} onClick={() => look.mutate()}>
            Show claims
          </Button>
        )
      }
    >
      {look.error && <FormError problem={problemOf(look.error)} />}
      {look.data ? (
        <Reported known={look.data.data} />
      ) : (
        <p className="text-muted">{has_claims ? "Hidden until you ask for them." : "None are stored."}</p>
      )}
    </Card>
  )
}

function Reported({ known }: { known: Known }) {
  if (known.length === 0) return <p className="text-muted">None are stored.</p>
  const differing = contradictions(known.map(({ claims }) => claims))
  return (
    <>
      {differing.length > 0 && (
        <p role="status" className="mb-3 rounded-lg bg-notice-soft px-3 py-2 text-notice">
          These verifications contradict each other: {differing.map((name) => definitions[name].label).join(", ")}. Find
          out which is right, and revoke the others.
        </p>
      )}
      <ul className="-my-3 divide-y divide-line" aria-label="Reported claims">
        {known.map(({ attestation_id, user_pubkey, schema, approved_at, claims }) => (
          <li key={attestation_id} className="py-3">
            <p className="mb-2 text-[13px] text-muted">
              <Shortened value={user_pubkey} />,{" "}
              <To path={["attestations", attestation_id]} className="rounded-sm text-accent underline">
                {schema}
              </To>
              , approved <Timestamp at={approved_at} />
            </p>
            <Facts facts={factsOf(claims, differing)} />
          </li>
        ))}
      </ul>
    </>
  )
}

function countryOf({ country, unknown_country }: Claims): string {
  if (country !== undefined) return `${countryNames.of(country) ?? country} (${country})`
  return unknown_country === undefined ? "Not reported" : `Unknown: the vendor reported ${unknown_country}`
}

const factsOf = (claims: Claims, differing: readonly ClaimName[]) => {
  const mark = (name: ClaimName, text: string) =>
    differing.includes(name) && claims[name] !== undefined ? (
      <strong className="font-medium text-notice">{text} (differs)</strong>
    ) : (
      text
    )
  return {
    Country: mark("country", countryOf(claims)),
    "Over 18": mark("age_over_18", yesOrNo(claims.age_over_18)),
    Accredited: mark("accredited", yesOrNo(claims.accredited)),
  }
}
