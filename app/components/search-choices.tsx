import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react"
import { KeyCap } from "#app/components/key-cap.tsx"
import { SearchField, type SearchProps } from "#app/components/search-dialog.tsx"

/** A result. One that opens no page has no address. */
export type Choice = {
  key: string
  /** The heading above it. Choices of a section are next to each other. */
  section?: string
  /** What it is, if its section does not say so. */
  group: string | null
  name: string
  /** Before the name. Hidden from screen readers, as are the keys. */
  icon?: ReactNode
  badge?: ReactNode
  /** The keys that open it from any page, one after the other. */
  keys?: string[]
  more: string | null
  href: string | null
  /** Whether it was found for an earlier text. Such choices come last, and Enter does not open them. */
  isStale?: boolean
}

type SearchChoicesProps<Found extends Choice> = SearchProps & {
  choices: Found[]
  onChoose: (choice: Found) => void
  isSearching: boolean
  /** The state of the search, or why there are no results. */
  status: string
}

/** The search field of a `SearchDialog` with its results. The arrow keys move through them, Enter opens one. */
export function SearchChoices<Found extends Choice>({
  title,
  placeholder,
  text,
  onText,
  choices,
  onChoose,
  isSearching,
  status,
}: SearchChoicesProps<Found>) {
  // Null until the reader moves: then the first, or none while nothing is typed.
  const [at, setAt] = useState<number | null>(null)
  // Enter was pressed before there was anything to open.
  const [isEntered, setEntered] = useState(false)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const current = choices.filter(({ isStale }) => !isStale)
  const isBlank = text.trim() === ""
  const active = Math.min(at ?? (isBlank ? -1 : 0), current.length - 1)
  const idOf = (index: number) => `${id}-${index}`
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" })
  })
  useEffect(() => {
    if (!isEntered || isSearching) return
    setEntered(false)
    if (current[0]) onChoose(current[0])
  })
  function press(event: KeyboardEvent) {
    const last = current.length - 1
    const to: Record<string, number> = {
      ArrowDown: active >= last ? 0 : active + 1,
      ArrowUp: active <= 0 ? last : active - 1,
    }
    const next = to[event.key]
    if (next !== undefined) setAt(next)
    else if (event.key === "Enter" && !event.nativeEvent.isComposing) {
      if (current[active]) onChoose(current[active])
      else if (!isBlank) setEntered(true)
    } else return
    event.preventDefault()
  }
  return (
    <>
      <SearchField
        role="combobox"
        aria-label={title}
        aria-expanded={choices.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        {...(active >= 0 && { "aria-activedescendant": idOf(active) })}
        placeholder={placeholder}
        value={text}
        onChange={({ target }) => {
          onText(target.value)
          setAt(null)
          setEntered(false)
        }}
        onKeyDown={press}
      />
      <div
        ref={list}
        id={`${id}-list`}
        role="listbox"
        aria-label="Results"
        className="mt-3 max-h-[50dvh] overflow-y-auto"
      >
        {sectionsOf(choices).map(({ name, from, choices }) => {
          const options = choices.map((choice, n) => {
            const index = from + n
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the search field handles the keys
              <div
                key={choice.key}
                id={idOf(index)}
                role="option"
                tabIndex={-1}
                aria-selected={index === active}
                onMouseMove={() => setAt(index)}
                onClick={() => onChoose(choice)}
                className={`flex cursor-pointer items-baseline gap-3 rounded-md px-3 py-2 aria-selected:bg-accent-soft ${choice.isStale ? "opacity-60" : ""}`}
              >
                {choice.icon && (
                  <span aria-hidden="true" className="self-center text-muted [&_svg]:size-4">
                    {choice.icon}
                  </span>
                )}
                <span className="min-w-0 flex-1">
                  <span className="block truncate">{choice.name}</span>
                  {choice.more && <span className="block truncate text-xs text-muted">{choice.more}</span>}
                </span>
                <span className="flex shrink-0 items-baseline gap-2 text-xs text-muted">
                  {choice.badge}
                  {choice.group}
                  {choice.keys && (
                    <span aria-hidden="true" className="flex gap-1 pointer-coarse:hidden">
                      {choice.keys.map((key) => (
                        <KeyCap key={key}>{key}</KeyCap>
                      ))}
                    </span>
                  )}
                </span>
              </div>
            )
          })
          if (name === undefined) return options
          return (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset has no place in a listbox
            <div key={name} role="group" aria-label={name}>
              <p aria-hidden="true" className="px-3 pt-3 pb-1 text-xs font-medium text-muted">
                {name}
              </p>
              {options}
            </div>
          )
        })}
      </div>
      <p role="status" className="text-[13px] text-muted not-empty:mt-2">
        {status}
      </p>
    </>
  )
}

/** The choices by their headings, each with the index of its first. */
function sectionsOf<Found extends Choice>(choices: readonly Found[]) {
  const sections: { name: string | undefined; from: number; choices: Found[] }[] = []
  for (const [index, choice] of choices.entries()) {
    const last = sections.at(-1)
    if (last && last.name === choice.section) last.choices.push(choice)
    else sections.push({ name: choice.section, from: index, choices: [choice] })
  }
  return sections
}
