import { Plus } from "lucide-react"
import { type ClipboardEvent, type KeyboardEvent, useId, useState } from "react"
import { useLeftover } from "#app/components/form.tsx"
import { Removable } from "#app/components/removable.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Input } from "#app/components/ui/input.tsx"
import { countryNames } from "#shared/countries.ts"
import { countryLists } from "#shared/country-lists.ts"
import { countriesIn } from "./countries-in.ts"

const countries = countryNames("en")
const optionOf = ({ code, name }: { code: string; name: string }) => `${name} (${code})`
const options = new Set(countries.map(optionOf))

type CountryPickerProps = {
  /** The list's name, used in the names of the buttons. */
  label: string
  codes: readonly string[]
  onChange: (codes: string[]) => void
  /** Whether the countries are kept out. */
  isBlocking: boolean
  disabled?: boolean
}

/** Countries that are typed, pasted or taken from a list. Stands inside a `Field`, which names it. */
export function CountryPicker({ label, codes, onChange, isBlocking, disabled = false }: CountryPickerProps) {
  const [text, setText] = useState("")
  const [unknown, setUnknown] = useState<readonly string[]>([])
  const listId = useId()
  const field = useLeftover<HTMLInputElement>(text.trim() !== "")
  const about = label.toLowerCase()

  /** What is no country stays in the field. */
  function add(entered: string) {
    const found = countriesIn(entered)
    onChange([...new Set([...codes, ...found.codes])].sort())
    setUnknown(found.unknown)
    setText(found.unknown.join(", "))
  }
  function type(entered: string) {
    if (options.has(entered)) return add(entered)
    setUnknown([])
    setText(entered)
  }
  function paste(event: ClipboardEvent<HTMLInputElement>) {
    const pasted = event.clipboardData.getData("text")
    // A field has one line, so it would join the rows of a spreadsheet.
    if (!/[,;\n\t]/.test(pasted)) return
    event.preventDefault()
    const { selectionStart: start, selectionEnd: end } = event.currentTarget
    add([text.slice(0, start ?? text.length), pasted, text.slice(end ?? text.length)].join(","))
  }
  function press(event: KeyboardEvent) {
    if (event.key !== "Enter" || text.trim() === "") return
    event.preventDefault()
    add(text)
  }
  const offered = countryLists.filter(
    (list) => (isBlocking || !list.isRisk) && !list.codes.every((code) => codes.includes(code)),
  )
  const chosen = countries.filter(({ code }) => codes.includes(code))
  return (
    <>
      <div className="flex gap-2">
        <Input
          ref={field}
          list={listId}
          value={text}
          onChange={({ target }) => type(target.value)}
          onPaste={paste}
          onKeyDown={press}
          disabled={disabled}
          autoComplete="off"
          placeholder="Names or codes, such as Germany, FR"
          className="flex-1"
        />
        <datalist id={listId}>
          {countries
            .filter(({ code }) => !codes.includes(code))
            .map((country) => (
              <option key={country.code} value={optionOf(country)} />
            ))}
        </datalist>
        <Button disabled={disabled || text.trim() === ""} aria-label={`Add to ${about}`} onClick={() => add(text)}>
          Add
        </Button>
      </div>
      <p role="status" className="mt-1.5 text-[13px] text-danger empty:hidden">
        {unknown.length > 0 && `Not a country: ${unknown.join(", ")}`}
      </p>
      <div className="mt-2 flex flex-wrap gap-1.5">
        {offered.map((list) => (
          <Button
            key={list.name}
            size="sm"
            disabled={disabled}
            aria-label={`Add ${list.name} to ${about}`}
            onClick={() => onChange([...new Set([...codes, ...list.codes])].sort())}
          >
            <Plus aria-hidden="true" />
            {list.name} ({list.codes.length})
          </Button>
        ))}
        {codes.length > 1 && (
          <Button
            variant="ghost"
            size="sm"
            disabled={disabled}
            aria-label={`Remove all from ${about}`}
            onClick={() => onChange([])}
          >
            Remove all {codes.length}
          </Button>
        )}
      </div>
      {codes.length > 0 && (
        <ul aria-label={label} className="mt-2 flex flex-wrap gap-1.5">
          {chosen.map(({ code, name }) => (
            <li key={code}>
              <Removable onRemove={() => onChange(codes.filter((other) => other !== code))}>{name}</Removable>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
