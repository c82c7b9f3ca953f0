import type { Hold } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { FieldGroup } from "#app/components/form.tsx"
import { Checkbox } from "#app/components/ui/input.tsx"
import { grouped } from "#shared/amount.ts"
import { HoldReason } from "./hold-reason.tsx"

type HoldsFieldProps = {
  holds: readonly Hold[]
  symbol: string
  named: readonly string[]
  onChange: (named: string[]) => void
}

/** The holds that a movement takes from. Held tokens that are not chosen stay. */
export const HoldsField = ({ holds, symbol, named, onChange }: HoldsFieldProps) => (
  <FieldGroup name="holds" legend="Take from holds first">
    {holds.map((hold) => (
      <Checkbox
        key={hold.hold_id}
        name="holds"
        checked={named.includes(hold.hold_id)}
        onChange={({ target }) =>
          onChange(target.checked ? [...named, hold.hold_id] : named.filter((id) => id !== hold.hold_id))
        }
        hint={<HoldReason hold={hold} />}
      >
        {grouped(hold.remaining)} {symbol}
      </Checkbox>
    ))}
  </FieldGroup>
)
