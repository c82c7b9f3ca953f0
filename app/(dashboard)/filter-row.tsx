import { clsx } from "clsx"
import { type ReactNode, useId, useRef, useState } from "react"
import { Icon } from "#app/components/icons.tsx"
import { Button } from "#app/components/ui/button.tsx"
import type { FilteredList } from "#shared/saved-filters.ts"
import type { Filtered } from "./filters.tsx"
import { SavedFilters } from "./saved-filters.tsx"

type FilterRowProps = { filtered: Filtered; saved?: FilteredList | undefined; children?: ReactNode }

/**
 * The filters above a list. On a phone all but the search are behind one button, which counts those that are set. On
 * wide screens only rare ones are. With `saved`, members can save filters under a name.
 */
export function FilterRow({ filtered, saved, children }: FilterRowProps) {
  const { filters, current, change, onClear } = filtered
  const [isOpen, setOpen] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const id = useId()
  const [first, ...rest] = Object.keys(filters)
  const search = first !== undefined && filters[first]!.isSearch ? first : null
  const names = search === null ? Object.keys(filters) : rest
  const isAlone = names.length === 0 && saved === undefined
  const isRare = (name: string) => filters[name]!.isRare === true
  const rare = names.filter(isRare)
  const rareCount = rare.filter((name) => current[name] !== undefined).length
  const [isMore, setMore] = useState(rareCount > 0)
  // The order hides nothing, and the search is always in view.
  const count = names.filter((name) => name !== "order" && current[name] !== undefined).length
  const fieldOf = (name: string) => {
    const { Field } = filters[name]!
    return (
      <Field
        key={name}
        value={current[name] ?? null}
        onChange={(value) => change({ [name]: value })}
        filtered={filtered}
      />
    )
  }
  return (
    <search aria-label="Filters" className="mb-3 flex flex-wrap items-end gap-x-3 gap-y-2.5">
      {search !== null && (
        <div className={clsx("md:contents", isAlone ? "min-w-0 flex-1" : "w-full")}>{fieldOf(search)}</div>
      )}
      {names.length > 0 && (
        <>
          <Button
            ref={opener}
            className="border-field! md:hidden"
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => setOpen(!isOpen)}
          >
            {count === 0 ? "Filters" : `Filters (${count})`}
            <Icon name="chevron" className="text-muted" />
          </Button>
          <div
            id={id}
            className={clsx(
              "md:contents",
              isOpen
                ? "grid w-full grid-cols-2 items-end gap-x-3 gap-y-2.5 rounded-xl border border-line bg-surface p-4 max-md:order-1"
                : "max-md:hidden",
            )}
          >
            {names.filter((name) => !isRare(name)).map(fieldOf)}
            {rare.length > 0 && (
              <>
                <Button
                  className="border-field! max-md:hidden"
                  aria-expanded={isMore}
                  aria-controls={`${id}more`}
                  onClick={() => setMore(!isMore)}
                >
                  {rareCount === 0 ? "More filters" : `More filters (${rareCount})`}
                  <Icon name="chevron" className={clsx("text-muted", isMore && "rotate-180")} />
                </Button>
                <div
                  id={`${id}more`}
                  className={clsx(
                    "max-md:contents md:order-3 md:w-full md:items-end md:gap-3",
                    isMore ? "md:flex" : "md:hidden",
                  )}
                >
                  {rare.map(fieldOf)}
                </div>
              </>
            )}
            <div className="contents max-md:col-span-2 max-md:mt-1.5 max-md:flex max-md:flex-row-reverse max-md:gap-3">
              <Button
                variant="primary"
                className="flex-1 md:hidden"
                onClick={() => {
                  setOpen(false)
                  opener.current?.focus()
                }}
              >
                Show results
              </Button>
              {onClear && (
                <Button variant="ghost" className="md:order-1" onClick={onClear}>
                  Clear
                </Button>
              )}
            </div>
          </div>
        </>
      )}
      {saved && <SavedFilters list={saved} current={current} />}
      {/* Hidden while empty: it would begin another line once the filters fill the first. */}
      {children && <div className="flex flex-wrap gap-x-3 gap-y-2.5 empty:hidden md:order-2 md:grow">{children}</div>}
    </search>
  )
}
