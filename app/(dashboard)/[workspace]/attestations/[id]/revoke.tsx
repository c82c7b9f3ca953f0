import { useMutation } from "#app/(dashboard)/workspace.tsx"
import type { RouterOutputs } from "#app/api.ts"
import { Confirm } from "#app/components/form-dialog.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { ReasonFields, reasonsIn } from "../reason-fields.tsx"

type Detail = RouterOutputs["attestation"]["detail"]

/** Ends an attestation permanently. */
export function Revoke({ attestation: { attestation_id, status } }: { attestation: Detail }) {
  const revoke = useMutation((api, reasons: ReturnType<typeof reasonsIn>) =>
    api.attestation.revoke.mutate({ id: attestation_id, ...reasons }),
  )
  return (
    <Confirm
      trigger={<Button>Revoke</Button>}
      title="Revoke this attestation?"
      description={
        status === "verified"
          ? "The wallet is no longer verified, and its credential is destroyed on chain within seconds. You cannot undo this: the wallet would have to be verified again."
          : "Its session closes and nothing is issued on chain. It no longer counts against your quota."
      }
      confirm="Revoke"
      word="REVOKE"
      onConfirm={(values) => revoke.mutateAsync(reasonsIn(values))}
    >
      <ReasonFields />
    </Confirm>
  )
}
