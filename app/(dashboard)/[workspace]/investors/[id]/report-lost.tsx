import { useRouter } from "next/navigation.js"
import {
  checkWallet,
  FirstFields,
  WalletConfirmation,
  WalletFacts,
} from "#app/(dashboard)/[workspace]/tokens/[config]/servicing-fields.tsx"
import type { LostWallet } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { useMutation, usePath } from "#app/(dashboard)/workspace.tsx"
import { FileHashField, useFileHash } from "#app/components/file-hash.tsx"
import { Form, SelectField, Submit, TextField } from "#app/components/form.tsx"
import { notify } from "#app/components/toast.ts"
import { Dialog } from "#app/components/ui/dialog.tsx"
import { reasonNames } from "#shared/movements.ts"
import { type RecoveryReason, recoveryReasons } from "#shared/recoveries.ts"

type Report = { reason_code: RecoveryReason; reference: string; document_sha256?: string }

/** Bars a lost wallet at once, and opens the page of its recovery. */
export default function ReportLost({ of, onClose }: { of: LostWallet; onClose: () => void }) {
  const { wallet, investor } = of
  const router = useRouter()
  const path = usePath()
  const { hashed, choose } = useFileHash()
  const report = useMutation((api, about: Report) =>
    api.recovery.request.mutate({ id: investor.investor_id, lost_wallet: wallet, ...about }),
  )
  return (
    <Dialog
      kind="right"
      insists
      title="Report a wallet as lost"
      description="Stops the wallet at once: nothing enters or leaves it, and no one can verify it. Then you choose the wallet that gets everything it holds. You can undo this until the tokens move."
      onClose={onClose}
    >
      {(close) => (
        <Form
          check={(values) => ({
            ...checkWallet(values, wallet),
            ...(hashed && hashed.hash === null && { document: hashed.problem ?? "Wait until the file is hashed." }),
          })}
          onSubmit={async (values) => {
            const { recovery_id } = await report.mutateAsync({
              reason_code: values.get("reason_code") as RecoveryReason,
              reference: String(values.get("reference")).trim(),
              ...(hashed?.hash && { document_sha256: hashed.hash }),
            })
            notify("Wallet reported as lost")
            close()
            router.push(path("recoveries", recovery_id))
          }}
        >
          <WalletFacts token={null} of={{ wallet, investor }} />
          <FirstFields>
            <SelectField
              name="reason_code"
              label="Reason"
              required
              defaultValue=""
              options={[["", "Choose a reason"], ...recoveryReasons.map((code) => [code, reasonNames[code]] as const)]}
            />
            <TextField
              name="reference"
              label="Reference"
              hint="Such as a case number. No personal data: it stays in the audit log."
              required
              maxLength={200}
              autoComplete="off"
            />
            <FileHashField
              name="document"
              label="Document (optional)"
              hint="Such as the investor’s signed statement. You can also attach it later."
              hashed={hashed}
              onChoose={choose}
            />
          </FirstFields>
          <WalletConfirmation wallet={wallet} />
          <Submit variant="danger" className="w-full">
            Report as lost
          </Submit>
        </Form>
      )}
    </Dialog>
  )
}
