import { type RouterOutputs, To } from "#app/(dashboard)/workspace.tsx"
import { Shortened } from "#app/components/code.tsx"
import { Facts } from "#app/components/frame.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import type { ClaimName, Claims } from "#shared/claims.ts"
import { SchemaName } from "./schema-name.tsx"

type Known = RouterOutputs["investor"]["viewClaims"]["data"]

type ClaimListProps = {
  known: Known
  /** Those of an open review, which come first. */
  sent?: { claims: Claims; wallet: string | null } | null
  differing?: readonly ClaimName[]
}

/** What providers reported, for each verification. Claims that contradict others are marked. */
export const ClaimList = ({ known, sent = null, differing = [] }: ClaimListProps) => (
  <ul className="-my-3 divide-y divide-line" aria-label="Reported claims">
    {sent && (
      <li className="py-3">
        <p className="mb-2 text-[13px] text-muted">
          {sent.wallet !== null && (
            <>
              <Shortened value={sent.wallet} />,{" "}
            </>
          )}
          sent for this review, not approved
        </p>
        <Facts facts={factsOf(sent.claims, differing)} />
      </li>
    )}
    {known.map(({ attestation_id, user_pubkey, schema, approved_at, claims }) => (
      <li key={attestation_id} className="py-3">
        <p className="mb-2 text-[13px] text-muted">
          <Shortened value={user_pubkey} />,{" "}
          <To path={["attestations", attestation_id]} className="rounded-sm text-accent underline">
            <SchemaName id={schema} />
          </To>
          , approved <Timestamp at={approved_at} />
        </p>
        <Facts facts={factsOf(claims, differing)} />
      </li>
    ))}
  </ul>
)

const countryNames = new Intl.DisplayNames("en", { type: "region" })

const yesOrNo = (value: boolean | undefined) => (value === undefined ? "Not reported" : value ? "Yes" : "No")

function countryOf({ country, unknown_country }: Claims): string {
  if (country !== undefined) return `${countryNames.of(country) ?? country} (${country})`
  return unknown_country === undefined ? "Not reported" : `Unknown: the provider reported ${unknown_country}`
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
