import { useRef } from "react"
import { SelectField, TextareaField } from "#app/components/form.tsx"
import { Button } from "#app/components/ui/button.tsx"
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
  /** Frequent reasons, which a click enters. */
  suggestions?: readonly string[]
}

/** Asks for the internal reason and, unless `publicReason` is null, for the public one, with that one selected. */
export const ReasonFields = ({
  publicReason = "withdrawn",
  hint = "Visible to your team and your API keys only, never to the investor.",
  suggestions = [],
}: ReasonFieldsProps) => (
  <>
    <ReasonField hint={hint} suggestions={suggestions} />
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

function ReasonField({ hint, suggestions }: Required<Pick<ReasonFieldsProps, "hint" | "suggestions">>) {
  const field = useRef<HTMLTextAreaElement>(null)
  function enter(suggestion: string) {
    const { current: reason } = field
    if (!reason) return
    const written = reason.value.trim()
    const isReplaced = written === "" || suggestions.includes(written)
    reason.setRangeText(isReplaced ? suggestion : `${written}. ${suggestion}`, 0, reason.value.length, "end")
    // As if it was typed, because the form listens.
    reason.dispatchEvent(new Event("input", { bubbles: true }))
    reason.focus()
  }
  return (
    <div className="space-y-2">
      {suggestions.length > 0 && (
        <fieldset aria-label="Suggested reasons" className="flex flex-wrap gap-1.5">
          {suggestions.map((suggestion) => (
            <Button key={suggestion} size="xs" onClick={() => enter(suggestion)}>
              {suggestion}
            </Button>
          ))}
        </fieldset>
      )}
      <TextareaField label="Internal reason" name="reason" hint={hint} required maxLength={500} rows={2} ref={field} />
    </div>
  )
}

export const reasonsIn = (values: FormData) => ({
  reason: String(values.get("reason")).trim(),
  public_reason: values.get("public_reason") as PublicReason,
})
