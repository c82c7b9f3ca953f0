import { type ComponentProps, type ReactNode, type Ref, useId, useState } from "react"
import { Field, useLeftover } from "#app/components/form.tsx"
import { Icon } from "#app/components/icons.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Checkbox, Input, Select } from "#app/components/ui/input.tsx"
import { countryNames } from "#shared/countries.ts"
import type { FieldType } from "#shared/rules/define.ts"
import type { RuleName, ruleFields } from "#shared/rules/fields.ts"
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
const controls: { [T in Exclude<FieldType, "flag">]: (control: Control<T>, rule: RuleName) => ReactNode } = {
  countries: ({ value, ...control }, rule) => (
    <CountryPicker {...control} codes={value} isBlocking={rule === "blocked_countries"} />
  ),
  amount: (control) => <Text {...control} inputMode="decimal" autoComplete="off" placeholder="No limit" />,
  count: (control) => <Text {...control} inputMode="numeric" autoComplete="off" placeholder="No limit" />,
  countryCounts: ({ value, ...control }) => <CountryCounts {...control} caps={value} />,
  regionDays: ({ value, ...control }) => <RegionDays {...control} days={value} />,
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
  const control = controls[type] as (control: Control<FieldType>, rule: RuleName) => ReactNode
  return (
    <Field {...about} label={label} error={isOff ? undefined : error}>
      {control({ label, value: shown, onChange, disabled: isOff }, name)}
    </Field>
  )
}

const countries = countryNames("en")
const nameOf = new Map(countries.map(({ code, name }) => [code, name]))

type CountrySelectProps = {
  ref: Ref<HTMLSelectElement>
  chosen: string
  taken: readonly string[]
  onChoose: (code: string) => void
  disabled: boolean
}

/** The countries that are not in a list yet. */
function CountrySelect({ chosen, taken, onChoose, ...props }: CountrySelectProps) {
  return (
    <Select {...props} value={chosen} onChange={({ target }) => onChoose(target.value)} className="min-w-0 flex-1">
      <option value="">Choose a country</option>
      {countries
        .filter(({ code }) => !taken.includes(code))
        .map(({ code, name }) => (
          <option key={code} value={code}>
            {name} ({code})
          </option>
        ))}
    </Select>
  )
}

type CountryCountsProps = {
  label: string
  caps: Readonly<Record<string, string>>
  onChange: (caps: Record<string, string>) => void
  disabled?: boolean
}

/** A number for each country of a list. Stands inside a `Field`, which names it. */
function CountryCounts({ label, caps, onChange, disabled = false }: CountryCountsProps) {
  const [chosen, setChosen] = useState("")
  const select = useLeftover<HTMLSelectElement>(chosen !== "")
  const listed = Object.keys(caps)
  const listId = useId()
  return (
    <>
      <div className="flex gap-2">
        <CountrySelect ref={select} chosen={chosen} taken={listed} onChoose={setChosen} disabled={disabled} />
        <Button
          disabled={disabled || chosen === ""}
          aria-label={`Add to ${label.toLowerCase()}`}
          onClick={() => {
            onChange({ ...caps, [chosen]: "" })
            setChosen("")
          }}
        >
          Add
        </Button>
      </div>
      {listed.length > 0 && (
        <ul aria-label={label} className="mt-2 grid gap-2">
          {listed.map((code) => (
            <li key={code} className="flex items-center gap-2">
              <span className="min-w-0 flex-1 truncate">
                {nameOf.get(code) ?? code} ({code})
              </span>
              <Input
                id={`${listId}-${code}`}
                name={undefined}
                value={caps[code]}
                onChange={({ target }) => onChange({ ...caps, [code]: target.value })}
                disabled={disabled}
                aria-label={`Maximum from ${nameOf.get(code) ?? code}`}
                inputMode="numeric"
                autoComplete="off"
                className="max-w-28"
              />
              <Button
                disabled={disabled}
                aria-label={`Remove ${nameOf.get(code) ?? code}`}
                onClick={() => onChange(Object.fromEntries(Object.entries(caps).filter(([other]) => other !== code)))}
              >
                <Icon name="cross" className="size-3.5" />
              </Button>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

const regions = { us: "US investors", non_us: "Other investors" }

type RegionDaysProps = {
  label: string
  days: Readonly<Record<string, string>>
  onChange: (days: Record<string, string>) => void
  disabled?: boolean
}

/** Days for each region. Stands inside a `Field`, which names it. */
function RegionDays({ label, days, onChange, disabled = false }: RegionDaysProps) {
  const id = useId()
  return (
    <ul aria-label={label} className="grid gap-2">
      {Object.entries(regions).map(([region, name]) => (
        <li key={region} className="flex items-center gap-2">
          <span className="min-w-0 flex-1 truncate">{name}</span>
          <Input
            id={`${id}-${region}`}
            name={undefined}
            value={days[region]}
            onChange={({ target }) => onChange({ ...days, [region]: target.value })}
            disabled={disabled}
            aria-label={`${label}: ${name}`}
            inputMode="numeric"
            autoComplete="off"
            className="max-w-28"
          />
        </li>
      ))}
    </ul>
  )
}
