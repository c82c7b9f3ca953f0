"use client"

import { useMutation } from "#app/(dashboard)/workspace.tsx"
import type { RouterOutputs } from "#app/api.ts"
import { Confirm } from "#app/components/confirm.tsx"
import { Field } from "#app/components/form.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Select, Textarea } from "#app/components/ui/input.tsx"
import type { PublicReason } from "#shared/public-reasons.ts"

/** The codes that an investor may be told, as the team reads them. */
export const publicReasonCopy = {
  unverifiable: "Information could not be verified",
  documents_unreadable: "A document could not be read",
  information_mismatch: "Details did not match",
  not_eligible: "Requirements not met",
  withdrawn: "Verification withdrawn",
  resubmit: "Please submit again",
} as const satisfies Record<PublicReason, string>

type Detail = RouterOutputs["attestation"]["detail"]

/** Ends an attestation for good. */
export function Revoke({ attestation: { attestation_id, status } }: { attestation: Detail }) {
  const revoke = useMutation(
    (api, { reason, publicReason }: { reason: string; publicReason: PublicReason }) =>
      api.attestation.revoke.mutate({ id: attestation_id, reason, public_reason: publicReason }),
    { quiet: true, refresh: [] },
  )
  return (
    <Confirm
      trigger={<Button>Revoke</Button>}
      title="Revoke this attestation?"
      description={
        status === "verified"
          ? "The wallet is no longer verified, and its credential is destroyed on chain within seconds. You cannot undo this: the wallet would have to be verified again."
          : "Its session closes and nothing is issued on chain. Your quota is given back."
      }
      confirm="Revoke"
      word="REVOKE"
      onConfirm={(values) =>
        revoke.mutateAsync({
          reason: String(values.get("reason")),
          publicReason: values.get("public_reason") as PublicReason,
        })
      }
    >
      <Field
        label="Internal reason"
        name="reason"
        hint="Visible to your team and your API keys only, never to the investor."
        required
      >
        <Textarea maxLength={500} rows={2} />
      </Field>
      <Field label="What the investor is told" name="public_reason">
        <Select defaultValue="withdrawn">
          {Object.entries(publicReasonCopy).map(([code, text]) => (
            <option key={code} value={code}>
              {text}
            </option>
          ))}
        </Select>
      </Field>
    </Confirm>
  )
}
