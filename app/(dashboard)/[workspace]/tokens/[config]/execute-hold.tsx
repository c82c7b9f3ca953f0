import { useState } from "react"
import { useIdempotencyKey } from "#app/(dashboard)/[workspace]/tokens/idempotency-key.ts"
import { type Hold, type Operation, type TokenView, useToken } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { PersonPicker } from "#app/(dashboard)/person-picker.tsx"
import { useApi, useRefresh } from "#app/(dashboard)/workspace.tsx"
import { FileHashField, useFileHash } from "#app/components/file-hash.tsx"
import { Form } from "#app/components/form.tsx"
import { PinnedSubmit } from "#app/components/form-dialog.tsx"
import { Loaded } from "#app/components/frame.tsx"
import { Refused } from "#app/components/problem.ts"
import { isAddress } from "#shared/address.ts"
import { grouped, toBaseUnits } from "#shared/amount.ts"
import { Balances } from "./balances.tsx"
import { HoldReason } from "./hold-reason.tsx"
import { RulesCheck, submitLabel } from "./preflight-panel.tsx"
import { Sent } from "./sent.tsx"
import { checkWallet, FirstFields, WalletConfirmation, WalletFacts } from "./servicing-fields.tsx"
import { REPEATED, type Sending, usePreflight } from "./use-preflight.ts"

/** Moves what a hold holds to another wallet: a form with the rules check, then the progress of the operation. */
export function ExecuteHold({ hold }: { hold: Hold }) {
  const token = useToken(hold.mint_config)
  const [sent, setSent] = useState<Operation | null>(null)
  return (
    <Loaded query={token} what="the token" lines={8}>
      {(token) =>
        sent ? <Sent token={token} operation={sent} /> : <ExecuteForm hold={hold} token={token} onSent={setSent} />
      }
    </Loaded>
  )
}

type ExecuteFormProps = { hold: Hold; token: TokenView; onSent: (operation: Operation) => void }

function ExecuteForm({ hold, token, onSent }: ExecuteFormProps) {
  const api = useApi()
  const refresh = useRefresh()
  const { hold_id: id, user_pubkey: wallet, remaining: amount } = hold
  const [entered, setEntered] = useState("")
  const to = entered.trim()
  const { hashed, choose } = useFileHash()
  const hash = hashed?.hash ?? null
  const sending: Sending = { token, kind: "force_transfer", from: wallet, to, amount, executes: id }
  const checked = usePreflight(sending)
  const idempotencyKey = useIdempotencyKey([id, to, amount, hash ?? ""], checked.isAccepted)
  const { isUnanswered } = idempotencyKey
  const { isAccepted, problem } = isUnanswered ? REPEATED : checked
  const units = toBaseUnits(amount, token.decimals)!

  return (
    <Form
      check={(values) => ({
        ...checkWallet(values, wallet),
        ...(hashed?.problem && { document_sha256: hashed.problem }),
      })}
      onSubmit={async () => {
        if (!isAccepted) throw new Refused("This would be refused. See below for the reason.")
        // If only the operation cannot be read, the repeat of both says so: the hold is executed once.
        const operation = await idempotencyKey.send(async (key) => {
          const { operation_id } = await api.hold.execute.mutate(
            { id, to_pubkey: to, document_sha256: hash! },
            { context: { idempotencyKey: key, respondAsync: true } },
          )
          return api.token.operation.query({ id: operation_id! })
        })
        idempotencyKey.forget()
        void refresh()
        onSent(operation)
      }}
    >
      <WalletFacts
        token={token}
        of={{ wallet }}
        more={{ Amount: `${grouped(amount)} ${token.symbol}`, Why: <HoldReason hold={hold} /> }}
      />
      <FirstFields>
        <PersonPicker
          name="to_pubkey"
          label="To wallet"
          value={entered}
          onChange={setEntered}
          of={{ mint_config: token.id }}
          problem={problem?.field === "to_pubkey" ? problem.text : undefined}
        />
      </FirstFields>
      {!isUnanswered && (
        <>
          <Balances
            token={token}
            changes={[
              { wallet, balance: -units, held: -units },
              ...(isAddress(to) && to !== wallet ? [{ wallet: to, balance: units }] : []),
            ]}
          />
          <RulesCheck sending={sending} checked={checked} />
        </>
      )}
      <FileHashField
        name="document_sha256"
        label="Document"
        hint="What justifies it, such as the order."
        required
        hashed={hashed}
        onChoose={choose}
      />
      <WalletConfirmation wallet={wallet} />
      <PinnedSubmit
        variant="danger"
        disabled={!isAccepted || (hashed !== null && hash === null && hashed.problem === null)}
      >
        {submitLabel("Execute", checked)}
      </PinnedSubmit>
    </Form>
  )
}
