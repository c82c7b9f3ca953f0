import type { ReactNode } from "react"
import { SelectField, TextField } from "#app/components/form.tsx"
import { Icon } from "#app/components/icons.tsx"
import { MOST_EXTERNAL_DECIMALS } from "#shared/distributions.ts"

type MoreOptionsProps = {
  /** Null if the settlement determines them. */
  decimals: string | null
  minimum: string
  onChange: (name: "decimals" | "minimum", value: string) => void
  /** The wallets that get nothing. */
  children: ReactNode
}

/** What few distributions need. Folded; a problem in it opens it. */
export const MoreOptions = ({ decimals, minimum, onChange, children }: MoreOptionsProps) => (
  <details className="group rounded-lg border border-line">
    <summary className="flex cursor-pointer list-none items-center gap-x-3 rounded-lg px-3 py-2.5 [&::-webkit-details-marker]:hidden">
      <span className="text-[13px] font-medium">More options</span>
      <span className="min-w-0 flex-1 truncate text-[13px] text-muted">
        {decimals === null ? "Smallest payout, excluded wallets" : "Decimals, smallest payout, excluded wallets"}
      </span>
      <Icon name="chevron" className="size-4 shrink-0 text-muted group-open:rotate-180" />
    </summary>
    <div className="space-y-4 border-t border-line p-3">
      {decimals !== null && (
        <SelectField
          name="decimals"
          label="Decimals of the amounts"
          hint="2 for cents."
          required
          value={decimals}
          onChange={({ target }) => onChange("decimals", target.value)}
          options={Array.from({ length: MOST_EXTERNAL_DECIMALS + 1 }, (_, n) => [String(n), String(n)])}
        />
      )}
      <TextField
        name="minimum"
        label="Smallest payout (optional)"
        hint="Smaller payouts are not paid."
        inputMode="decimal"
        autoComplete="off"
        value={minimum}
        onChange={({ target }) => onChange("minimum", target.value)}
      />
      {children}
    </div>
  </details>
)
