import { useState } from "react"
import { useIdempotencyKey } from "#app/(dashboard)/[workspace]/tokens/idempotency-key.ts"
import {
  type Act,
  type Operation,
  type Serviced,
  type TokenView,
  useBalance,
  useToken,
} from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { PersonPicker } from "#app/(dashboard)/person-picker.tsx"
import { useApi, useRefresh } from "#app/(dashboard)/workspace.tsx"
import { FileHashField, useFileHash } from "#app/components/file-hash.tsx"
import { Form } from "#app/components/form.tsx"
import { PinnedSubmit } from "#app/components/form-dialog.tsx"
import { Loaded } from "#app/components/frame.tsx"
import { Refused } from "#app/components/problem.ts"
import { Button } from "#app/components/ui/button.tsx"
import { Checkbox } from "#app/components/ui/input.tsx"
import { isAddress } from "#shared/address.ts"
import { fromBaseUnits, toBaseUnits } from "#shared/amount.ts"
import type { ReasonCode } from "#shared/movements.ts"
import { AmountField } from "./amount-field.tsx"
import { Balances } from "./balances.tsx"
import { HoldsField } from "./holds-field.tsx"
import { RulesCheck, submitLabel } from "./preflight-panel.tsx"
import { Sent } from "./sent.tsx"
import { checkWallet, FirstFields, GroundsFields, WalletConfirmation, WalletFacts } from "./servicing-fields.tsx"
import { takenFrom, useActiveHolds } from "./use-holds.ts"
import { namedHolds, REPEATED, type Sending, usePreflight } from "./use-preflight.ts"

type ServicingProps = {
  act: Exclude<Act, "hold">
  of: Serviced
  onSent?: () => void
}

/** Burns tokens, or moves them without their holder's consent: a form with the rules check, then the progress of the operation. */
export function Servicing({ onSent, ...props }: ServicingProps) {
  const token = useToken(props.of.mint_config)
  const [sent, setSent] = useState<{ operation: Operation; isEarlier: boolean } | null>(null)
  return (
    <Loaded query={token} what="the token" lines={8}>
      {(token) =>
        sent ? (
          <Sent token={token} {...sent} />
        ) : (
          <ServicingForm
            {...props}
            token={token}
            onSent={(operation, isEarlier) => {
              setSent({ operation, isEarlier })
              onSent?.()
            }}
          />
        )
      }
    </Loaded>
  )
}

type ServicingFormProps = Omit<ServicingProps, "onSent"> & {
  token: TokenView
  onSent: (operation: Operation, isEarlier: boolean) => void
}

const NOTHING_ENTERED = {
  ...{ to: "", amount: "", reason: "", reference: "", hasConsent: false, whilePaused: false },
  /** Ids of the holds to take from. */
  named: [] as readonly string[],
}

function ServicingForm({ act, of, token, onSent }: ServicingFormProps) {
  const { wallet } = of
  const refresh = useRefresh()
  const [entered, setEntered] = useState(NOTHING_ENTERED)
  const set = <Name extends keyof typeof entered>(name: Name, value: (typeof entered)[Name]) =>
    setEntered((before) => ({ ...before, [name]: value }))
  const { hashed, choose } = useFileHash()
  const to = entered.to.trim()
  const amount = entered.amount.trim()
  const reference = entered.reference.trim()
  const { reason, hasConsent } = entered
  const whilePaused = token.paused && entered.whilePaused
  const holds = useActiveHolds(token.id, wallet)
  const named = holds.filter(({ hold_id }) => entered.named.includes(hold_id))
  const namedIds = named.map(({ hold_id }) => hold_id)
  const sending: Sending = { token, kind: act, from: wallet, to, amount, hasConsent, holds: namedIds, whilePaused }
  const checked = usePreflight(sending)
  const { decimals } = token
  const balance = useBalance(token.id, wallet).data
  const units = toBaseUnits(amount, decimals)
  const taken = units === null ? null : takenFrom(named, units, decimals)
  const most = balance && toBaseUnits(balance.available, decimals)! + takenFrom(named, null, decimals)
  const hash = hashed?.hash ?? null
  const flags = [String(hasConsent), String(whilePaused)]
  const content = [act, token.id, wallet, to, amount, reason, reference, hash ?? "", ...flags, ...entered.named]
  const idempotencyKey = useIdempotencyKey(content, checked.isAccepted)
  const { isUnanswered } = idempotencyKey
  const { isAccepted, problem } = isUnanswered ? REPEATED : checked
  const uncovered =
    balance && units !== null && !isUnanswered
      ? whyUncovered(units, toBaseUnits(balance.amount, decimals)!, most!)
      : null
  const send = useSend()
  const problemAt = (name: string) => (problem?.field === name ? problem.text : undefined)

  return (
    <Form
      check={(values) => ({
        ...checkWallet(values, wallet),
        ...(hashed?.problem && { document_sha256: hashed.problem }),
      })}
      onSubmit={async () => {
        if (!isAccepted || uncovered) throw new Refused("This would be refused. See below for the reason.")
        const grounds = { reason_code: reason as ReasonCode, reference, hash, hasConsent }
        // What may have been taken from a hold has ended it, and the repeat must name it again.
        const asked = isUnanswered ? { ...sending, holds: entered.named } : sending
        const operation = await idempotencyKey.send((key) => send(asked, grounds, key))
        const isEarlier = idempotencyKey.isEarlier(operation)
        idempotencyKey.forget()
        void refresh()
        onSent(operation, isEarlier)
      }}
    >
      <WalletFacts token={token} of={of} />
      <FirstFields>
        {act === "force_transfer" && (
          <PersonPicker
            name="to_pubkey"
            label="To wallet"
            value={entered.to}
            onChange={(value) => set("to", value)}
            of={{ mint_config: token.id }}
            problem={problemAt("to_pubkey")}
          />
        )}
        <AmountField
          token={token}
          value={entered.amount}
          onChange={(value) => set("amount", value)}
          problem={problemAt("amount") ?? uncovered ?? undefined}
          aside={
            most !== undefined && (
              <Button
                variant="link"
                className="text-[13px]!"
                onClick={() => set("amount", fromBaseUnits(most, decimals))}
              >
                {holds.length === named.length ? "Whole balance" : "All available"}
              </Button>
            )
          }
        />
      </FirstFields>
      {holds.length > 0 && (
        <HoldsField holds={holds} symbol={token.symbol} named={namedIds} onChange={(named) => set("named", named)} />
      )}
      {!isUnanswered && (
        <>
          <Balances
            token={token}
            changes={[
              { wallet, balance: units && -units, ...(holds.length > 0 && { held: taken && -taken }) },
              ...(isAddress(to) && to !== wallet ? [{ wallet: to, balance: units }] : []),
            ]}
          />
          <RulesCheck sending={sending} checked={checked} />
        </>
      )}
      {token.paused && (
        <Checkbox
          name="while_paused"
          checked={whilePaused}
          onChange={({ target }) => set("whilePaused", target.checked)}
          hint="The token stays paused. Another member must approve it."
        >
          Act even though the token is paused
        </Checkbox>
      )}
      {act === "burn" && (
        <Checkbox
          name="holder_consent"
          checked={hasConsent}
          onChange={({ target }) => set("hasConsent", target.checked)}
          hint="For example, by a redemption order. If not, choose the document that justifies it."
        >
          The holder agreed
        </Checkbox>
      )}
      <GroundsFields entered={entered} onChange={set} />
      <FileHashField
        name="document_sha256"
        label={act === "burn" && hasConsent ? "Document (optional)" : "Document"}
        hint="What justifies it, such as the order."
        required={act !== "burn" || !hasConsent}
        hashed={hashed}
        onChoose={choose}
      />
      <WalletConfirmation wallet={wallet} />
      <PinnedSubmit
        variant="danger"
        disabled={!isAccepted || uncovered !== null || (hashed !== null && hash === null && hashed.problem === null)}
      >
        {submitLabel(act === "burn" ? "Redeem" : "Force transfer", checked)}
      </PinnedSubmit>
    </Form>
  )
}

/** Why it is certain that the amount cannot be taken, in base units; null if it is not. */
function whyUncovered(amount: bigint, balance: bigint, most: bigint): string | null {
  if (amount > balance) return "More than the wallet’s balance."
  return amount > most ? "More than is available. To take held tokens, choose their holds." : null
}

type Grounds = { reason_code: ReasonCode; reference: string; hash: string | null; hasConsent: boolean }

/** Starts it without waiting for the chain. The next screen shows its progress. */
function useSend() {
  const api = useApi()
  return (sending: Sending, grounds: Grounds, idempotencyKey: string): Promise<Operation> => {
    const { kind, token, from, to, amount, whilePaused: while_paused } = sending
    const { reason_code, reference, hash, hasConsent } = grounds
    const common = { mint_config: token.id, amount, reason_code, reference, while_paused, ...namedHolds(sending) }
    const options = { context: { idempotencyKey, respondAsync: true } }
    return kind === "burn"
      ? api.token.burn.mutate(
          { ...common, user_pubkey: from, holder_consent: hasConsent, ...(hash !== null && { document_sha256: hash }) },
          options,
        )
      : api.token.forceTransfer.mutate({ ...common, from_pubkey: from, to_pubkey: to, document_sha256: hash! }, options)
  }
}
