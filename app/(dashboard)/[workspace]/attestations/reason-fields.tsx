import { SelectField, TextareaField } from "#app/components/form.tsx"
import type { PublicReason } from "#shared/public-reasons.ts"

/** The public reasons, as the team reads them. */
export const publicReasonCopy = {
  unverifiable: "Information could not be verified",
  documents_unreadable: "A document could not be read",
  information_mismatch: "Details did not match",
  not_eligible: "Requirements not met",
  withdrawn: "Verification withdrawn",
  resubmit: "Please submit again",
} as const satisfies Record<PublicReason, string>

type ReasonFieldsProps = {
  publicReason?: PublicReason | null
  hint?: string
}

/** Asks for the internal reason and, unless `publicReason` is null, for the public one, with that one selected. */
export const ReasonFields = ({
  publicReason = "withdrawn",
  hint = "Visible to your team and your API keys only, never to the investor.",
}: ReasonFieldsProps) => (
  <>
    <TextareaField label="Internal reason" name="reason" hint={hint} required maxLength={500} rows={2} />
    {publicReason && (
      <SelectField
        key={publicReason}
        label="Reason shown to the investor"
        name="public_reason"
        defaultValue={publicReason}
        options={Object.entries(publicReasonCopy)}
      />
    )}
  </>
)

export const reasonsIn = (values: FormData) => ({
  reason: String(values.get("reason")).trim(),
  public_reason: values.get("public_reason") as PublicReason,
})
