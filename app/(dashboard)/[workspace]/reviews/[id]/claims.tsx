import { useState } from "react"
import { useMutation } from "#app/(dashboard)/workspace.tsx"
import { SelectField } from "#app/components/form.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { type ClaimName, type Claims, claimNames, claims } from "#shared/claims.ts"
import { countryNames } from "#shared/countries.ts"
import { ENTERED } from "./entered-claims.ts"
import type { Review } from "./review.ts"

const labelOf = (name: ClaimName): string => {
  const { label } = claims[name]
  return label.charAt(0).toUpperCase() + label.slice(1)
}

/** Reads the claims on request only, because each view is an entry in the audit log. */
const useClaims = (review_id: string) => useMutation((api) => api.review.viewClaims.mutate({ review_id }))

/** The claims for an approval: the vendor's, unless the member views and changes them. */
export function ApprovalClaims({ review: { review_id, has_claims } }: { review: Review }) {
  const [sent, setSent] = useState<Claims | null>(has_claims ? null : {})
  const view = useClaims(review_id)
  if (sent === null) {
    return (
      <div>
        <p className="mb-1.5 text-[13px] font-medium">Claims</p>
        <p className="mb-2 text-[13px] text-muted">
          The approval uses the claims that the provider sent. Viewing them is recorded in the audit log.
        </p>
        <Button size="sm" pending={view.isPending} onClick={() => view.mutate(undefined, setSent)}>
          View and change claims
        </Button>
      </div>
    )
  }
  return (
    <div className="space-y-4">
      <input type="hidden" name={ENTERED} value="yes" />
      <SelectField
        name="claims.country"
        label="Country"
        hint={
          sent.unknown_country === undefined
            ? "Claims decide which tokens the wallet can hold. Leave out what you have not checked."
            : `The provider reported ${sent.unknown_country}, which is not a known country. Country rules refuse the wallet unless you choose one.`
        }
        defaultValue={sent.country ?? ""}
        options={countryNames("en").map(({ code, name }) => [code, name] as const)}
      >
        <option value="">Not known</option>
      </SelectField>
      {claimNames
        .filter((name) => claims[name].kind === "flag")
        .map((name) => (
          <SelectField key={name} name={`claims.${name}`} label={labelOf(name)} defaultValue={wordOf(sent[name])}>
            <option value="">Not known</option>
            <option value="yes">Yes</option>
            <option value="no">No</option>
          </SelectField>
        ))}
    </div>
  )
}

const wordOf = (value: Claims[ClaimName]): string => (value === true ? "yes" : value === false ? "no" : "")

/** The claims that came with the review, or those of a decision that waits. */
export function ShownClaims({ review: { review_id } }: { review: Review }) {
  const view = useClaims(review_id)
  if (view.data === undefined) {
    return (
      <Button size="sm" title="Recorded in the audit log" pending={view.isPending} onClick={() => view.mutate()}>
        View claims
      </Button>
    )
  }
  const known = claimNames.filter((name) => view.data[name] !== undefined)
  const { unknown_country } = view.data
  if (known.length === 0 && unknown_country === undefined) return <>None</>
  return (
    <ul>
      {unknown_country !== undefined && <li>Country: unknown, the provider reported {unknown_country}</li>}
      {known.map((name) => {
        const value = view.data[name]
        return (
          <li key={name}>
            {labelOf(name)}: {typeof value === "boolean" ? (value ? "yes" : "no") : value}
          </li>
        )
      })}
    </ul>
  )
}
