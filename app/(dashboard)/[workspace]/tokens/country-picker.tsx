import { useId, useState } from "react"
import { Icon } from "#app/components/icons.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Select } from "#app/components/ui/input.tsx"
import { countryNames } from "#shared/countries.ts"

const countries = countryNames("en")
const nameOf = new Map(countries.map(({ code, name }) => [code, name]))

/** A list of countries to add to and remove from. Stands inside a `Field`, which names it. */
export function CountryPicker({
  label,
  codes,
  onChange,
  disabled = false,
}: {
  /** The list's name, used in the names of the buttons. */
  label: string
  codes: readonly string[]
  onChange: (codes: string[]) => void
  disabled?: boolean
}) {
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
