import { useEffect, useRef, useState } from "react"
import { useIdempotencyKey } from "#app/(dashboard)/[workspace]/tokens/idempotency-key.ts"
import {
  type Act,
  type Operation,
  reasonNames,
  type Serviced,
  type TokenView,
  useBalance,
  useToken,
} from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { InvestorLink, useApi, useRefresh } from "#app/(dashboard)/workspace.tsx"
import { FileHashField, useFileHash } from "#app/components/file-hash.tsx"
import { Form, SelectField, Submit, TextField } from "#app/components/form.tsx"
import { Facts, Loaded } from "#app/components/frame.tsx"
import { Refused } from "#app/components/problem.ts"
import { Button } from "#app/components/ui/button.tsx"
import { Checkbox } from "#app/components/ui/input.tsx"
import { toBaseUnits } from "#shared/amount.ts"
import type { ReasonCode } from "#shared/movements.ts"
import { AmountField } from "./amount-field.tsx"
import { Balances } from "./balances.tsx"
import { RulesCheck, submitLabel } from "./preflight-panel.tsx"
import { Sent } from "./sent.tsx"
import { type Sending, usePreflight } from "./use-preflight.ts"
import { isAddress, WalletField } from "./wallet-field.tsx"

type ServicingProps = { act: Act; label: string; of: Serviced }

/** Burns or moves tokens without their holder: a form with the rules check, then the progress of the operation. */
export default function Servicing(props: ServicingProps) {
  const token = useToken(props.of.mint_config)
  const [sent, setSent] = useState<Operation | null>(null)
  return (
    <Loaded query={token} what="the token" lines={8}>
      {(token) =>
        sent ? <Sent token={token} operation={sent} /> : <ServicingForm {...props} token={token} onSent={setSent} />
      }
    </Loaded>
  )
}

type ServicingFormProps = ServicingProps & { token: TokenView; onSent: (operation: Operation) => void }

const NOTHING_ENTERED = { to: "", amount: "", reason: "", reference: "", hasConsent: false }

function ServicingForm({ act, label, of: { wallet, investor }, token, onSent }: ServicingFormProps) {
  const refresh = useRefresh()
  const [entered, setEntered] = useState(NOTHING_ENTERED)
  const set = <Name extends keyof typeof entered>(name: Name, value: (typeof entered)[Name]) =>
    setEntered((before) => ({ ...before, [name]: value }))
  const { hashed, choose } = useFileHash()
  const to = entered.to.trim()
  const amount = entered.amount.trim()
  const reference = entered.reference.trim()
  const { reason, hasConsent } = entered
  const sending: Sending = { token, kind: act, from: wallet, to, amount, hasConsent }
  const checked = usePreflight(sending)
  const { isAccepted, problem } = checked
  const balance = useBalance(token.id, wallet)
  const isUncovered = exceeds(amount, balance.data?.amount, token.decimals)
  const hash = hashed?.hash ?? null
  const content = [act, token.id, wallet, to, amount, reason, reference, hash ?? "", String(hasConsent)]
  const idempotencyKey = useIdempotencyKey(content, isAccepted)
  const send = useSend()
  const lastFour = wallet.slice(-4)
  const problemAt = (name: string) => (problem?.field === name ? problem.text : undefined)
  // The form loads after its sheet has opened, so nothing in it has the focus yet.
  const form = useRef<HTMLDivElement>(null)
  useEffect(() => form.current?.querySelector("input")?.focus(), [])

  return (
    <Form
      check={(values) => ({
        ...(values.get("confirmation") !== lastFour && { confirmation: `Type ${lastFour} to continue.` }),
        ...(hashed?.problem && { document_sha256: hashed.problem }),
      })}
      onSubmit={async () => {
        if (!isAccepted || isUncovered) throw new Refused("This would be refused. See below for the reason.")
        const grounds = { reason_code: reason as ReasonCode, reference, hash, hasConsent }
        const operation = await send(sending, grounds, idempotencyKey.keyOf())
        idempotencyKey.forget()
        void refresh()
        onSent(operation)
      }}
    >
      <Facts
        facts={{
          Investor: investor ? <InvestorLink investor={investor} /> : "Not known",
          Wallet: <code className="font-mono text-[13px] break-all">{wallet}</code>,
          Token: `${token.name} (${token.symbol})`,
          Network: token.cluster ?? "Not known yet",
        }}
      />
      <div ref={form} className="space-y-4">
        {act === "force_transfer" && (
          <WalletField
            name="to_pubkey"
            label="To wallet"
            value={entered.to}
            onChange={(value) => set("to", value)}
            problem={problemAt("to_pubkey")}
          />
        )}
        <AmountField
          token={token}
          value={entered.amount}
          onChange={(value) => set("amount", value)}
          problem={problemAt("amount") ?? (isUncovered ? "More than the wallet’s balance." : undefined)}
          aside={
            balance.data && (
              <Button variant="link" className="text-[13px]!" onClick={() => set("amount", balance.data.amount)}>
                Whole balance
              </Button>
            )
          }
        />
      </div>
      <Balances token={token} from={wallet} to={isAddress(to) ? to : null} amount={amount} />
      <RulesCheck sending={sending} checked={checked} />
      {act === "burn" && (
        <Checkbox
          name="holder_consent"
          checked={hasConsent}
          onChange={({ target }) => set("hasConsent", target.checked)}
          hint="For example, by a redemption order. If not, choose the document that justifies the burn."
        >
          The holder agreed
        </Checkbox>
      )}
      <SelectField
        name="reason_code"
        label="Reason"
        required
        value={reason}
        onChange={({ target }) => set("reason", target.value)}
        options={[["", "Choose a reason"], ...Object.entries(reasonNames)]}
      />
      <TextField
        name="reference"
        label="Reference"
        hint="Such as a case or order number. No personal data: it stays in the audit log."
        required
        maxLength={200}
        autoComplete="off"
        value={entered.reference}
        onChange={({ target }) => set("reference", target.value)}
      />
      <FileHashField
        name="document_sha256"
        label={act === "burn" && hasConsent ? "Document (optional)" : "Document"}
        hint="What justifies it, such as the order."
        required={act !== "burn" || !hasConsent}
        hashed={hashed}
        onChoose={choose}
      />
      <TextField
        name="confirmation"
        label={
          <>
            Type <code className="font-mono">{lastFour}</code>, the last four characters of the wallet, to confirm
          </>
        }
        required
        maxLength={4}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <Submit
        variant="danger"
        disabled={!isAccepted || isUncovered || (hashed !== null && hash === null && hashed.problem === null)}
        className="w-full"
      >
        {submitLabel(label, checked)}
      </Submit>
    </Form>
  )
}

/** Whether it is certain that the balance does not cover the amount. */
function exceeds(amount: string, balance: string | undefined, decimals: number): boolean {
  const units = toBaseUnits(amount, decimals)
  return units !== null && balance !== undefined && units > toBaseUnits(balance, decimals)!
}

type Grounds = { reason_code: ReasonCode; reference: string; hash: string | null; hasConsent: boolean }

/** Starts it without waiting for the chain. The next screen shows its progress. */
function useSend() {
  const api = useApi()
  return ({ kind, token, from, to, amount }: Sending, grounds: Grounds, idempotencyKey: string): Promise<Operation> => {
    const { reason_code, reference, hash, hasConsent } = grounds
    const common = { mint_config: token.id, amount, reason_code, reference }
    const options = { context: { idempotencyKey, respondAsync: true } }
    return kind === "burn"
      ? api.token.burn.mutate(
          { ...common, user_pubkey: from, holder_consent: hasConsent, ...(hash !== null && { document_sha256: hash }) },
          options,
        )
      : api.token.forceTransfer.mutate({ ...common, from_pubkey: from, to_pubkey: to, document_sha256: hash! }, options)
  }
}
