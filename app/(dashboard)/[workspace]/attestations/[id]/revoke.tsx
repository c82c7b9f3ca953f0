"use client"

import { Confirm } from "../../../../components/confirm.tsx"
import { Field } from "../../../../components/form.tsx"
import { Button } from "../../../../components/ui/button.tsx"
import { Textarea } from "../../../../components/ui/textarea.tsx"
import { useChange } from "../../../workspace.tsx"
import type { Detail } from "./page.tsx"

/** Ends an attestation for good. */
export function Revoke({ attestation: { attestation_id, status } }: { attestation: Detail }) {
  const revoke = useChange(
    (api, reason: string) => api.attestation.revoke.mutate({ id: attestation_id, reason }),
    { quiet: true, refresh: [] },
  )
  return (
    <Confirm
      trigger={<Button>Revoke</Button>}
      title="Revoke this attestation?"
      description={
        status === "verified"
          ? "The wallet is no longer verified from now on, and its credential is burnt on chain within seconds. This cannot be taken back: the wallet would have to be verified again."
          : "Its session closes, and nothing is put on chain. Its unit of quota is given back."
      }
      confirm="Revoke"
      word="REVOKE"
      onConfirm={(values) => revoke.mutateAsync(String(values.get("reason")))}
    >
      <Field label="Reason" name="reason" hint="Stands in the record, and on the hosted page." required>
        <Textarea maxLength={500} rows={2} />
      </Field>
    </Confirm>
  )
}
