import { type ComponentProps, type ReactNode, useId, useState } from "react"
import { Field } from "#app/components/form.tsx"
import { Icon } from "#app/components/icons.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Checkbox, Input, Select } from "#app/components/ui/input.tsx"
import { countryNames } from "#shared/countries.ts"
import type { FieldType } from "#shared/rules/define.ts"
import type { ruleFields } from "#shared/rules/fields.ts"
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

type RuleFieldProps = {
  field: (typeof ruleFields)[number]
  value: Entered
  onChange: (value: Entered) => void
  error: string | undefined
  /** Whether the transfer mode cannot enforce it. */
  isOff: boolean
}

export function RuleField({ field: { name, type, label, hint }, value, onChange, error, isOff }: RuleFieldProps) {
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

const countries = countryNames("en")
const nameOf = new Map(countries.map(({ code, name }) => [code, name]))

type CountryPickerProps = {
  /** The list's name, used in the names of the buttons. */
  label: string
  codes: readonly string[]
  onChange: (codes: string[]) => void
  disabled?: boolean
}

/** A list of countries to add to and remove from. Stands inside a `Field`, which names it. */
function CountryPicker({ label, codes, onChange, disabled = false }: CountryPickerProps) {
  const [chosen, setChosen] = useState("")
  const listId = useId()
  return (
    <>
      <div className="flex gap-2">
        <Select
          value={chosen}
          onChange={({ target }) => setChosen(target.value)}
          disabled={disabled}
          className="min-w-0 flex-1"
        >
          <option value="">Choose a country</option>
          {countries
            .filter(({ code }) => !codes.includes(code))
            .map(({ code, name }) => (
              <option key={code} value={code}>
                {name} ({code})
              </option>
            ))}
        </Select>
        <Button
          disabled={disabled || chosen === ""}
          aria-label={`Add to ${label.toLowerCase()}`}
          onClick={() => {
            onChange([...codes, chosen].sort())
            setChosen("")
          }}
        >
          Add
        </Button>
      </div>
      {codes.length > 0 && (
        <ul id={listId} aria-label={label} className="mt-2 flex flex-wrap gap-1.5">
          {codes.map((code) => (
            <li key={code}>
              <button
                type="button"
                onClick={() => onChange(codes.filter((other) => other !== code))}
                className="inline-flex min-h-7 cursor-pointer items-center gap-1 rounded-full border border-line bg-sunken py-0.5 pr-1.5 pl-2.5 text-[13px] hover:border-field pointer-coarse:min-h-9"
              >
                <span className="sr-only">Remove </span>
                {nameOf.get(code) ?? code}
                <Icon name="cross" className="size-3.5 text-muted" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
