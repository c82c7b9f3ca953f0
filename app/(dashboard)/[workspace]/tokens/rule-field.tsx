import type { ComponentProps, ReactNode } from "react"
import { Field } from "#app/components/form.tsx"
import { Checkbox } from "#app/components/ui/checkbox.tsx"
import { Input } from "#app/components/ui/input.tsx"
import type { FieldType } from "#shared/rules/define.ts"
import type { ruleFields } from "#shared/rules/fields.ts"
import { CountryPicker } from "./country-picker.tsx"
import { type Entered, type EnteredIn, emptyDraft } from "./draft.ts"
import { NOT_IN_HOLDER_MODE } from "./rule-words.ts"

type Control<T extends FieldType> = {
  label: string
  value: EnteredIn<T>
  onChange: (value: EnteredIn<T>) => void
  disabled: boolean
}

/** The control for each type of field. A flag has its own label and is not in a `Field`. */
const controls: { [T in Exclude<FieldType, "flag">]: (control: Control<T>) => ReactNode } = {
  countries: ({ value, ...control }) => <CountryPicker {...control} codes={value} />,
  amount: (control) => <Text {...control} inputMode="decimal" autoComplete="off" placeholder="No limit" />,
  count: (control) => <Text {...control} inputMode="numeric" autoComplete="off" placeholder="No limit" />,
  time: (control) => <Text {...control} type="datetime-local" step={1} />,
}

function Text({
  label: _,
  onChange,
  ...props
}: Control<"amount"> & Omit<ComponentProps<typeof Input>, keyof Control<"amount">>) {
  return <Input {...props} onChange={({ target }) => onChange(target.value)} />
}

/** One field of the rules, built from its definition. */
export function RuleField({
  field: { name, type, label, hint },
  value,
  onChange,
  error,
  isOff,
}: {
  field: (typeof ruleFields)[number]
  value: Entered
  onChange: (value: Entered) => void
  error: string | undefined
  /** Whether the transfer mode cannot enforce it. */
  isOff: boolean
}) {
  const shown = isOff ? emptyDraft.rules[name] : value
  const about = { name: `rules.${name}`, hint: isOff ? NOT_IN_HOLDER_MODE : hint }
  if (type === "flag") {
    return (
      <Checkbox
        {...about}
        checked={shown === true}
        disabled={isOff}
        onChange={({ target }) => onChange(target.checked)}
      >
        {label}
      </Checkbox>
    )
  }
  const control = controls[type] as (control: Control<FieldType>) => ReactNode
  return (
    <Field {...about} label={label} error={isOff ? undefined : error}>
      {control({ label, value: shown, onChange, disabled: isOff })}
    </Field>
  )
}
