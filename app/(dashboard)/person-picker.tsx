import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react"
import { Badge } from "#app/components/badge.tsx"
import { Shortened } from "#app/components/code.tsx"
import { Field, useForget } from "#app/components/form.tsx"
import { dayIn } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Input } from "#app/components/ui/input.tsx"
import { useTimeZone } from "#app/components/zone.ts"
import { isAddress } from "#shared/address.ts"
import { shownName } from "#shared/visible.ts"
import { nameOf, type Standing, standingWords } from "./person-words.ts"
import { type OutputOf, useDebounced, useQuery } from "./workspace.tsx"

export type Person = OutputOf<"investor.pick">["data"][number]

const SHORTEST_ADDRESS = 32
/** A shorter text finds too many people to choose from. */
const SHORTEST_SEARCH = 2

type PersonPickerProps = {
  name: string
  label: string
  hint?: ReactNode
  /** What is typed, or the wallet that was chosen. */
  value: string
  onChange: (value: string) => void
  /** What the statuses are about: a token, or a schema. */
  of: { mint_config: string } | { schema: string }
  /** What the server says about the wallet. */
  problem?: string | undefined
  required?: boolean
  /** For a list of people: takes a chosen person over, and the field is empty again. */
  onPick?: (person: Person) => void
}

/** Asks for a person's wallet: by a part of their name, an investor's id, or the wallet itself. */
export function PersonPicker(props: PersonPickerProps) {
  const { name, label, hint, value, onChange, of, problem, required = true, onPick } = props
  const [isOpen, setOpen] = useState(false)
  const [at, setAt] = useState(0)
  // A text that is still being typed is incomplete, not wrong.
  const [isLeft, setLeft] = useState(false)
  const [chosen, setChosen] = useState<Person | null>(null)
  // A wallet that the form began with counts as chosen, and so shows its person.
  const [isTyped, setTyped] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const forget = useForget()
  const text = value.trim()
  const found = useFound(text, of)
  const known = [...found.people, chosen].find((one) => one?.user_pubkey === text) ?? null
  const picked = known !== null && (known.user_pubkey === chosen?.user_pubkey || !isTyped) ? known : null
  const isSearching = isOpen && picked === null && text.length >= SHORTEST_SEARCH && !isAddress(text)
  const options = isSearching ? found.people : []
  const place = Math.min(at, options.length - 1)
  // While the list is that of an earlier text, Enter chooses no one from it.
  const active = found.isComplete ? place : -1
  const isWrong =
    text !== "" && !isAddress(text) && !isSearching && (isLeft || text.replace(/\s.*/, "").length >= SHORTEST_ADDRESS)
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" })
  })

  function choose(person: Person) {
    setOpen(false)
    if (onPick) {
      onPick(person)
      forget(name)
      return
    }
    setChosen(person)
    onChange(person.user_pubkey)
    forget(name)
    nextField(input.current)?.focus()
  }
  function change() {
    setChosen(null)
    setTyped(true)
    onChange("")
    input.current?.focus()
  }
  function press(event: KeyboardEvent) {
    const { key, nativeEvent } = event
    if (key === "ArrowDown" && !isOpen) return setOpen(true)
    if (!isSearching || nativeEvent.isComposing) return
    const last = options.length - 1
    if (key === "ArrowDown") setAt(place >= last ? 0 : place + 1)
    else if (key === "ArrowUp") setAt(place <= 0 ? last : place - 1)
    else if (key === "Enter") options[active] && choose(options[active])
    else if (key === "Escape") setOpen(false)
    else return
    // Enter does not send the form yet, and Escape closes the list instead of the dialog.
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <Field
      name={name}
      label={label}
      hint={hint}
      required={required}
      error={isWrong ? "Enter a wallet address of 32 to 44 characters, or choose a person from the list." : problem}
    >
      <div className="relative">
        <div className="flex items-center gap-2">
          <Input
            ref={input}
            // The chosen wallet is in the hidden field.
            {...(picked && { name: undefined, readOnly: true, required: false })}
            value={picked ? nameOf(picked) : value}
            onChange={({ target }) => {
              onChange(target.value)
              setTyped(true)
              setAt(0)
              setOpen(true)
              setLeft(false)
            }}
            onKeyDown={press}
            onClick={() => setOpen(true)}
            onBlur={({ relatedTarget }) => {
              setOpen(false)
              // A problem that appears now would move a button away while it is pressed.
              if ((relatedTarget as HTMLButtonElement | null)?.type !== "submit") setLeft(true)
            }}
            role="combobox"
            aria-expanded={isSearching}
            aria-autocomplete="list"
            {...(isSearching && { "aria-controls": `${id}-list` })}
            {...(active >= 0 && { "aria-activedescendant": `${id}-${active}` })}
            placeholder="Name, wallet or investor id"
            maxLength={200}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            className={picked ? "font-medium" : isAddress(text) ? "font-mono sm:text-[13px]" : ""}
          />
          {picked && (
            <>
              <input type="hidden" name={name} value={picked.user_pubkey} />
              <Button onClick={change}>
                Change<span className="sr-only"> the person: {label}</span>
              </Button>
            </>
          )}
        </div>
        {/* Always there, so that screen readers announce what changes in it. */}
        <div
          className={
            isSearching
              ? "absolute inset-x-0 top-full z-10 mt-1 rounded-md border border-line bg-surface p-1 shadow-card"
              : "sr-only"
          }
        >
          {isSearching && (
            <div
              ref={list}
              id={`${id}-list`}
              role="listbox"
              aria-label="People found"
              className={`max-h-72 overflow-y-auto ${found.isComplete ? "" : "opacity-60"}`}
              // The field keeps the focus.
              onMouseDown={(event) => event.preventDefault()}
            >
              {options.map((person, index) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
                <div
                  key={person.user_pubkey}
                  id={`${id}-${index}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === active}
                  onMouseMove={() => setAt(index)}
                  onClick={() => choose(person)}
                  className="cursor-pointer rounded-sm px-2 py-1.5 aria-selected:bg-accent-soft pointer-coarse:py-2.5"
                >
                  <span className="block truncate">
                    {person.external_id === null ? "Without a name" : shownName(person.external_id)}
                  </span>
                  <PersonLine of={person} />
                </div>
              ))}
            </div>
          )}
          <p role="status" className={options.length > 0 ? "sr-only" : "px-2 py-1.5 text-[13px] text-muted"}>
            {isSearching && found.status}
          </p>
          {options.length > 0 && found.hasMore && (
            <p className="px-2 py-1.5 text-[13px] text-muted">More match. Type more of the name.</p>
          )}
        </div>
      </div>
      <div role="status" className="text-[13px]">
        {isAddress(text) && known && (
          <p className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1">
            {picked === null && known.external_id && (
              <span className="font-medium wrap-anywhere">{shownName(known.external_id)}</span>
            )}
            <PersonLine of={known} withWallet={picked !== null} />
          </p>
        )}
        {isAddress(text) && !known && found.isComplete && (
          <p className="mt-1.5 text-muted">Not the wallet of a known investor.</p>
        )}
      </div>
    </Field>
  )
}

/** The field after this one in its form. */
function nextField(field: HTMLInputElement | null): HTMLElement | undefined {
  const all = [...(field?.form?.elements ?? [])] as HTMLElement[]
  const later = field === null ? [] : all.slice(all.indexOf(field) + 1)
  return later.find((one) => one.matches("input:not([type=hidden]), select, textarea"))
}

/** A wallet with its status. */
const PersonLine = ({ of, withWallet = true }: { of: Person; withWallet?: boolean }) => (
  <span className="inline-flex flex-wrap items-center gap-x-3 gap-y-1 text-[13px]">
    {withWallet && <Shortened value={of.user_pubkey} />}
    <StandingBadge of={of} />
  </span>
)

/** The status of a wallet in words. */
export function StandingBadge({ of }: { of: Standing }) {
  const zone = useTimeZone()
  const { words, tone } = standingWords(of, (at) => dayIn(zone, at))
  return (
    <Badge tone={tone} className="whitespace-normal!">
      {words}
    </Badge>
  )
}

/** People who match a text, once typing pauses. */
function useFound(text: string, of: PersonPickerProps["of"]) {
  const settled = useDebounced(text, 200)
  // A pasted wallet is not typed any further.
  const q = isAddress(text) ? text : settled
  const isAsked = q.length >= SHORTEST_SEARCH
  const { data, error, isPlaceholderData } = useQuery("investor.pick", { q, ...of }, { keep: true, enabled: isAsked })
  const people = isAsked ? (data?.data ?? []) : []
  const isComplete = isAsked && q === text && data !== undefined && !isPlaceholderData
  const status = error
    ? "The search failed. You can paste a wallet address."
    : !isComplete
      ? "Searching…"
      : people.length === 0
        ? "No one matches. You can paste the address of any wallet."
        : people.length === 1
          ? "1 match"
          : `${people.length} matches`
  return { people, isComplete, status, hasMore: data?.has_more ?? false }
}
