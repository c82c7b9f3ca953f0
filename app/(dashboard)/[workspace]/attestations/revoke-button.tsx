import { useEffect, useRef } from "react"
import { nameOf } from "#app/(dashboard)/person-words.ts"
import { useSchemas } from "#app/(dashboard)/schema-name.tsx"
import { useMutation } from "#app/(dashboard)/workspace.tsx"
import { Confirm } from "#app/components/form-dialog.tsx"
import { Refused } from "#app/components/problem.ts"
import { Button } from "#app/components/ui/button.tsx"
import { ReasonFields, reasonsIn } from "./reason-fields.tsx"

type RevokeButtonProps = {
  of: { attestation_id: string; external_id: string | null; user_pubkey: string; schema: string; status: string }
  /** One of several in a list. Its label for screen readers has the schema. */
  isInList?: boolean
  /** Opens the dialog without a click. */
  opens?: boolean
  onClose?: () => void
}

/** Revokes a verification that is pending or verified, after a reason. */
export function RevokeButton({ of, isInList = false, ...dialog }: RevokeButtonProps) {
  const opened = useRef(of)
  const { attestation_id, external_id, user_pubkey, schema, status } = of
  const name = useSchemas().find(({ id }) => id === schema)?.name
  const what = name === undefined ? "verification" : `${name} verification`
  const revoke = useMutation((api, reasons: ReturnType<typeof reasonsIn>) =>
    api.attestation.revoke.mutate({ id: attestation_id, ...reasons }),
  )
  return (
    <Confirm
      {...dialog}
      trigger={
        isInList ? (
          <Button variant="ghost" size="sm" aria-label={`Revoke ${what}`}>
            Revoke
          </Button>
        ) : (
          <Button>Revoke</Button>
        )
      }
      title={`Revoke ${nameOf({ external_id, user_pubkey })}’s ${asNoun(what)}?`}
      description={
        status === "verified"
          ? "The wallet is no longer verified, and its credential is destroyed on chain within seconds. You cannot undo this: the wallet would have to be verified again."
          : "Its session closes and nothing is issued on chain. It no longer counts against your quota."
      }
      confirm="Revoke"
      onConfirm={(values) => {
        const before = opened.current
        if (before.attestation_id !== attestation_id || before.status !== status) throw new Refused(CHANGED)
        return revoke.mutateAsync(reasonsIn(values))
      }}
    >
      <OnOpen run={() => (opened.current = of)} />
      <ReasonFields />
    </Confirm>
  )
}

/** The page follows what happens, also while the dialog is open. */
const CHANGED = "The verification has changed since you opened this. Close this, and look at it again."

function OnOpen({ run }: { run: () => void }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the dialog opens
  useEffect(() => void run(), [])
  return null
}

/** A name within a sentence. An acronym at its start stays. */
const asNoun = (name: string): string => name.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())
