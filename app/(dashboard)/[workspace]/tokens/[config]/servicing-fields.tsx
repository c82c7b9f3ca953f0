import { type ReactNode, useEffect, useRef } from "react"
import type { ServicedWallet, TokenView } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { FreezeReason } from "#app/(dashboard)/freeze-note.tsx"
import { InvestorLink } from "#app/(dashboard)/workspace.tsx"
import { SelectField, TextField } from "#app/components/form.tsx"
import { Facts } from "#app/components/frame.tsx"
import { reasonNames } from "#shared/movements.ts"

// The parts that the sheets about a wallet's tokens share.

type WalletFactsProps = {
  /** Null for every token. */
  token: TokenView | null
  of: Pick<ServicedWallet, "wallet"> & Partial<Pick<ServicedWallet, "investor" | "freezes">>
  more?: Record<string, ReactNode>
}

/** Whose tokens they are. Without `investor`, the person behind the wallet is not shown. */
export const WalletFacts = ({ token, of: { wallet, investor, freezes = [] }, more }: WalletFactsProps) => (
  <Facts
    facts={{
      Investor: investor === undefined ? undefined : investor ? <InvestorLink investor={investor} /> : "Not known",
      Wallet: <code className="font-mono text-[13px] break-all">{wallet}</code>,
      Token: token ? `${token.name} (${token.symbol})` : "Every token",
      Network: token && (token.cluster ?? "Not known yet"),
      Frozen: freezes.length > 0 && (
        <ul>
          {freezes.map((freeze) => (
            <li key={String(freeze.is_for_every_token)}>
              {freeze.is_for_every_token ? "For every token" : "For this token"} <FreezeReason freeze={freeze} />
            </li>
          ))}
        </ul>
      ),
      ...more,
    }}
  />
)

/** The first fields of a form, which get the focus: the form loads after its sheet has opened. */
export function FirstFields({ children }: { children: ReactNode }) {
  const fields = useRef<HTMLDivElement>(null)
  useEffect(() => fields.current?.querySelector<HTMLElement>("input, select")?.focus(), [])
  return (
    <div ref={fields} className="space-y-4">
      {children}
    </div>
  )
}

type Entered = { reason: string; reference: string }
type GroundsFieldsProps = { entered: Entered; onChange: (name: keyof Entered, value: string) => void }

export const GroundsFields = ({ entered, onChange }: GroundsFieldsProps) => (
  <>
    <SelectField
      name="reason_code"
      label="Reason"
      required
      value={entered.reason}
      onChange={({ target }) => onChange("reason", target.value)}
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
      onChange={({ target }) => onChange("reference", target.value)}
    />
  </>
)

const lastFourOf = (wallet: string): string => wallet.slice(-4)

/** Asks for the wallet's last characters, which `checkWallet` checks. */
export const WalletConfirmation = ({ wallet }: { wallet: string }) => (
  <TextField
    name="confirmation"
    label={
      <>
        Type <code className="font-mono">{lastFourOf(wallet)}</code>, the last four characters of the wallet, to confirm
      </>
    }
    required
    maxLength={4}
    autoComplete="off"
    autoCapitalize="none"
    spellCheck={false}
  />
)

export const checkWallet = (values: FormData, wallet: string): Record<string, string> =>
  values.get("confirmation") === lastFourOf(wallet) ? {} : { confirmation: `Type ${lastFourOf(wallet)} to continue.` }
