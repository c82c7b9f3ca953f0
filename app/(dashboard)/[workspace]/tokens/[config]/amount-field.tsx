import type { ReactNode } from "react"
import type { TokenView } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { TextField } from "#app/components/form.tsx"

type AmountFieldProps = {
  token: TokenView
  value: string
  onChange: (value: string) => void
  problem: string | undefined
  aside?: ReactNode
}

export const AmountField = ({ token: { symbol, decimals }, value, onChange, problem, aside }: AmountFieldProps) => (
  <TextField
    name="amount"
    label="Amount"
    required
    error={problem}
    hint={decimals === 0 ? `Whole ${symbol}.` : `${symbol}, with at most ${decimals} decimals.`}
    aside={aside}
    inputMode="decimal"
    autoComplete="off"
    value={value}
    onChange={({ target }) => onChange(target.value)}
  />
)
