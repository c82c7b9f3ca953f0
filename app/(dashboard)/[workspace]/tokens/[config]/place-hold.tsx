import { useEffect, useRef, useState } from "react"
import { useIdempotencyKey } from "#app/(dashboard)/[workspace]/tokens/idempotency-key.ts"
import {
  type Hold,
  type Operation,
  type Serviced,
  type TokenView,
  useBalance,
  useToken,
} from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { To, useApi, useRefresh } from "#app/(dashboard)/workspace.tsx"
import { Form, TextField } from "#app/components/form.tsx"
import { PinnedSubmit } from "#app/components/form-dialog.tsx"
import { Loaded } from "#app/components/frame.tsx"
import { instantIn } from "#app/components/local-time.ts"
import { Button, buttonLook } from "#app/components/ui/button.tsx"
import { useTimeZone } from "#app/components/zone.ts"
import { grouped, toBaseUnits } from "#shared/amount.ts"
import type { ReasonCode } from "#shared/movements.ts"
import { toTimestamp } from "#shared/timestamp.ts"
import { AmountField } from "./amount-field.tsx"
import { Balances } from "./balances.tsx"
import { HoldReason } from "./hold-reason.tsx"
import { Sent } from "./sent.tsx"
import { checkWallet, FirstFields, GroundsFields, WalletConfirmation, WalletFacts } from "./servicing-fields.tsx"

/** By holders, an operation moves the tokens into the hold's account. */
type Placed = { hold: Hold; operation: Operation | null }

/** Holds a part of a wallet's balance: a form, then the hold or the progress of its operation. */
export function PlaceHold({ of }: { of: Serviced }) {
  const token = useToken(of.mint_config)
  const [placed, setPlaced] = useState<Placed | null>(null)
  return (
    <Loaded query={token} what="the token" lines={8}>
      {(token) => {
        if (placed === null) return <HoldForm of={of} token={token} onPlaced={setPlaced} />
        const { hold, operation } = placed
        return operation ? <Sent token={token} operation={operation} /> : <Result token={token} hold={hold} />
      }}
    </Loaded>
  )
}

function Result({ token, hold }: { token: TokenView; hold: Hold }) {
  const heading = useRef<HTMLHeadingElement>(null)
  // The form that had the focus is gone.
  useEffect(() => heading.current?.focus(), [])
  return (
    <div className="space-y-5">
      <div>
        <h3 ref={heading} tabIndex={-1} className="font-semibold">
          {grouped(hold.amount)} {token.symbol} are held
        </h3>
        <p className="mt-1 text-muted">
          <HoldReason hold={hold} />
        </p>
      </div>
      <To path={["tokens", token.id]} query={`?tab=holds&q=${hold.user_pubkey}`} className={buttonLook()}>
        Holds of this wallet
      </To>
    </div>
  )
}

const NOTHING_ENTERED = { amount: "", reason: "", reference: "", expires: "" }

type HoldFormProps = { of: Serviced; token: TokenView; onPlaced: (placed: Placed) => void }

function HoldForm({ of, token, onPlaced }: HoldFormProps) {
  const api = useApi()
  const refresh = useRefresh()
  const zone = useTimeZone()
  const [entered, setEntered] = useState(NOTHING_ENTERED)
  const set = (name: keyof typeof entered, value: string) => setEntered((before) => ({ ...before, [name]: value }))
  const { wallet } = of
  const amount = entered.amount.trim()
  const reference = entered.reference.trim()
  const { reason, expires } = entered
  const expiresAt = instantIn(zone, expires)
  const balance = useBalance(token.id, wallet).data
  const units = toBaseUnits(amount, token.decimals)
  const idempotencyKey = useIdempotencyKey([token.id, wallet, amount, reason, reference, expires], units !== null)
  const isUncovered =
    balance !== undefined &&
    units !== null &&
    units > toBaseUnits(balance.available, token.decimals)! &&
    !idempotencyKey.isUnanswered

  return (
    <Form
      check={(values) => ({
        ...checkWallet(values, wallet),
        ...(units === null && amount !== "" && { amount: "Not an amount of this token." }),
        ...(expiresAt !== null && expiresAt <= new Date() && { expires_at: "Choose a time in the future." }),
      })}
      onSubmit={async () => {
        const placed = await idempotencyKey.send(async (key) => {
          const hold = await api.hold.place.mutate(
            {
              ...{ user_pubkey: wallet, mint_config: token.id, amount },
              ...{ reason_code: reason as ReasonCode, reference },
              ...(expiresAt !== null && { expires_at: toTimestamp(expiresAt) }),
            },
            { context: { idempotencyKey: key, respondAsync: true } },
          )
          const operation = hold.operation_id && (await api.token.operation.query({ id: hold.operation_id }))
          return { hold, operation: operation || null }
        })
        idempotencyKey.forget()
        void refresh()
        onPlaced(placed)
      }}
    >
      <WalletFacts token={token} of={of} />
      <FirstFields>
        <AmountField
          token={token}
          value={entered.amount}
          onChange={(value) => set("amount", value)}
          problem={isUncovered ? "More than is available." : undefined}
          aside={
            balance && (
              <Button variant="link" className="text-[13px]!" onClick={() => set("amount", balance.available)}>
                All available
              </Button>
            )
          }
        />
      </FirstFields>
      {!idempotencyKey.isUnanswered && <Balances token={token} changes={[{ wallet, balance: 0n, held: units }]} />}
      <GroundsFields entered={entered} onChange={set} />
      <TextField
        name="expires_at"
        label="Ends (optional)"
        hint={`In ${zone}. Without it, the hold lasts until you release or execute it.`}
        type="datetime-local"
        value={expires}
        onChange={({ target }) => set("expires", target.value)}
      />
      <WalletConfirmation wallet={wallet} />
      <PinnedSubmit variant="danger" disabled={isUncovered}>
        Hold
      </PinnedSubmit>
    </Form>
  )
}
