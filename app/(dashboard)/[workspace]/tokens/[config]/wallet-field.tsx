import { useState } from "react"
import { Field } from "#app/components/form.tsx"
import { Input } from "#app/components/ui/input.tsx"

const SHORTEST_ADDRESS = 32
/** What an address looks like. The server checks whether it is a wallet. */
const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

export const isAddress = (text: string): boolean => ADDRESS.test(text)

type WalletFieldProps = {
  name: string
  label: string
  value: string
  onChange: (value: string) => void
  /** What the server says about it. */
  problem: string | undefined
}

export function WalletField({ name, label, value, onChange, problem }: WalletFieldProps) {
  // An address that is still being typed is incomplete, not wrong.
  const [isLeft, setLeft] = useState(false)
  const wallet = value.trim()
  const isWrong = wallet !== "" && !isAddress(wallet) && (isLeft || wallet.length >= SHORTEST_ADDRESS)
  return (
    <Field
      name={name}
      label={label}
      required
      error={isWrong ? "Enter a wallet address: 32 to 44 letters and digits, without 0, O, I and l." : problem}
    >
      <Input
        value={value}
        onChange={({ target }) => onChange(target.value)}
        onBlur={() => setLeft(true)}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        className="font-mono sm:text-[13px]"
      />
    </Field>
  )
}
