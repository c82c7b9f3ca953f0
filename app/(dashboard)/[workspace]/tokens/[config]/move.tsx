import { useEffect, useRef, useState } from "react"
import { useIdempotencyKey } from "#app/(dashboard)/[workspace]/tokens/idempotency-key.ts"
import { type Operation, type TokenView, useBalance } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { PersonPicker } from "#app/(dashboard)/person-picker.tsx"
import { useApi, useRefresh } from "#app/(dashboard)/workspace.tsx"
import type { Api } from "#app/api.ts"
import { Field, Form } from "#app/components/form.tsx"
import { PinnedSubmit } from "#app/components/form-dialog.tsx"
import { Refused } from "#app/components/problem.ts"
import { Button } from "#app/components/ui/button.tsx"
import { Input, Select } from "#app/components/ui/input.tsx"
import { grouped } from "#shared/amount.ts"
import { type Exemption, exemptionNames, exemptions } from "#shared/lots.ts"
import { AmountField } from "./amount-field.tsx"
import { MovementBalances } from "./movement-balances.tsx"
import { RulesCheck, submitLabel } from "./preflight-panel.tsx"
import { Sent } from "./sent.tsx"
import { REPEATED, type Sending, usePreflight } from "./use-preflight.ts"

export type MoveKind = "mint" | "transfer"

const again = {
  mint: { more: "Mint more", same: "Mint again" },
  transfer: { more: "Transfer more", same: "Transfer again" },
} as const satisfies Record<MoveKind, object>

type MoveProps = {
  token: TokenView
  kind: MoveKind
  /** The wallet that the form begins with. */
  to: string | null
}

type Entered = { from: string; to: string; amount: string; acquired: string; exemption: Exemption }

/** `isEarlier` if the operation began before the form was opened, so that nothing new was done. */
type Started = { operation: Operation; isEarlier: boolean; entered: Entered }

export default function Move({ token, kind, to }: MoveProps) {
  const nothing: Entered = { from: "", to: to ?? "", amount: "", acquired: "", exemption: "none" }
  const [initial, setInitial] = useState(nothing)
  const [started, setStarted] = useState<Started | null>(null)
  if (started === null) return <MoveForm token={token} kind={kind} initial={initial} onStarted={setStarted} />
  const { operation, isEarlier, entered } = started
  function onAgain() {
    setInitial(isEarlier ? entered : nothing)
    setStarted(null)
  }
  return (
    <Sent
      token={token}
      operation={operation}
      isEarlier={isEarlier}
      again={{ label: again[kind][isEarlier ? "same" : "more"], onAgain }}
    />
  )
}

type MoveFormProps = Omit<MoveProps, "to"> & { initial: Entered; onStarted: (started: Started) => void }

/** Asks for wallets and an amount, shows what the rules say, and sends only what they allow. */
function MoveForm({ token, kind, initial, onStarted }: MoveFormProps) {
  const api = useApi()
  const refresh = useRefresh()
  const [entered, setEntered] = useState(initial)
  const from = entered.from.trim()
  const to = entered.to.trim()
  const amount = entered.amount.trim()
  const { acquired, exemption } = entered
  const lot = { exemption, ...(acquired !== "" && { acquired_at: `${acquired}T00:00:00Z` }) }
  const sending: Sending = { token, kind, from, to, amount, ...(kind === "mint" && { lot }) }
  const checked = usePreflight(sending)
  const balance = useBalance(token.id, from).data
  const idempotencyKey = useIdempotencyKey([kind, token.id, from, to, amount, exemption, acquired], checked.isAccepted)
  const { isAccepted, problem } = idempotencyKey.isUnanswered ? REPEATED : checked
  const set = (name: keyof typeof entered) => (value: string) => setEntered((before) => ({ ...before, [name]: value }))
  // The form loads after its sheet has opened, so nothing in it has the focus yet.
  const form = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const fields = [...(form.current?.querySelectorAll("input") ?? [])]
    ;(fields.find(({ value }) => value === "") ?? fields[0])?.focus()
  }, [])
  const problemAt = (name: string) => (problem?.field === name ? problem.text : undefined)
  const wallet = (name: string, label: string, end: "from" | "to") => (
    <PersonPicker
      name={name}
      label={label}
      value={entered[end]}
      onChange={set(end)}
      of={{ mint_config: token.id }}
      problem={problemAt(name)}
    />
  )

  return (
    <Form
      onSubmit={async () => {
        if (!isAccepted) throw new Refused("A rule refuses this. See below for what to do.")
        const operation = await idempotencyKey.send((key) => send(api, sending, key))
        const isEarlier = idempotencyKey.isEarlier(operation)
        idempotencyKey.forget()
        void refresh()
        onStarted({ operation, isEarlier, entered })
      }}
    >
      <div ref={form} className="space-y-4">
        {kind === "transfer" && wallet("from_pubkey", "From wallet", "from")}
        {kind === "transfer" ? wallet("to_pubkey", "To wallet", "to") : wallet("user_pubkey", "Wallet", "to")}
        <AmountField
          token={token}
          value={entered.amount}
          onChange={set("amount")}
          problem={problemAt("amount")}
          aside={
            balance && (
              <span className="flex flex-wrap justify-end gap-x-3">
                <span className="text-muted">{grouped(balance.available)} available</span>
                <Button variant="link" className="text-[13px]!" onClick={() => set("amount")(balance.available)}>
                  {balance.available === balance.amount ? "Whole balance" : "All available"}
                </Button>
              </span>
            )
          }
        />
        {kind === "mint" && (
          <LotFields
            exemption={exemption}
            onExemption={set("exemption")}
            acquired={acquired}
            onAcquired={set("acquired")}
            problemAt={problemAt}
          />
        )}
      </div>
      {!idempotencyKey.isUnanswered && (
        <>
          {checked.preflight && from !== to && (
            <MovementBalances token={token} from={kind === "mint" ? null : from} to={to} amount={amount} />
          )}
          <RulesCheck sending={sending} checked={checked} />
        </>
      )}
      <PinnedSubmit disabled={!isAccepted}>{submitLabel(kind === "mint" ? "Mint" : "Transfer", checked)}</PinnedSubmit>
    </Form>
  )
}

type LotFieldsProps = {
  exemption: Exemption
  onExemption: (exemption: Exemption) => void
  acquired: string
  onAcquired: (day: string) => void
  problemAt: (name: string) => string | undefined
}

/** What is recorded of the minted lot. Most mints need none of it, so it is folded until something is entered. */
function LotFields({ exemption, onExemption, acquired, onAcquired, problemAt }: LotFieldsProps) {
  const [isOpen, setOpen] = useState(false)
  const problem = problemAt("lot.acquired_at")
  return (
    <details
      open={isOpen || exemption !== "none" || acquired !== "" || problem !== undefined}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="cursor-pointer text-[13px] text-muted">Lot details (optional)</summary>
      <div className="mt-3 space-y-4">
        <Field
          name="lot.exemption"
          label="Exemption"
          hint="The exemption from registration under which the tokens are issued. It is recorded with their date."
        >
          <Select value={exemption} onChange={({ target }) => onExemption(target.value as Exemption)}>
            {exemptions.map((one) => (
              <option key={one} value={one}>
                {exemptionNames[one]}
              </option>
            ))}
          </Select>
        </Field>
        <Field
          name="lot.acquired_at"
          label="Acquired on (UTC)"
          hint="Leave it empty if the holder acquires them now. An earlier date needs another member’s approval."
          error={problem}
        >
          <Input type="date" value={acquired} onChange={({ target }) => onAcquired(target.value)} />
        </Field>
      </div>
    </details>
  )
}

/** Starts it without waiting for the chain. The next screen shows its progress. */
function send(api: Api, { kind, token, from, to, amount, lot }: Sending, idempotencyKey: string) {
  const common = { mint_config: token.id, amount }
  const options = { context: { idempotencyKey, respondAsync: true } }
  return kind === "mint"
    ? api.token.mint.mutate({ ...common, user_pubkey: to, ...(lot && { lot }) }, options)
    : api.token.transfer.mutate({ ...common, from_pubkey: from, to_pubkey: to }, options)
}
