import { Bookmark } from "lucide-react"
import { usePathname, useRouter } from "next/navigation.js"
import { lazy, Suspense, useState } from "react"
import { useQuery } from "#app/(dashboard)/workspace.tsx"
import { Icon } from "#app/components/icons.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Menu, MenuItem, MenuLabel, MenuSeparator } from "#app/components/ui/menu.tsx"
import type { FilteredList } from "#shared/saved-filters.ts"

// Loaded when a member saves or changes filters.
const SaveFilters = lazy(async () => ({ default: (await import("./saved-filter-dialogs.tsx")).SaveFilters }))
const EditFilters = lazy(async () => ({ default: (await import("./saved-filter-dialogs.tsx")).EditFilters }))

type Current = Record<string, string>

/** A member's saved filters for a list. One click applies them. */
export function SavedFilters({ list, current }: { list: FilteredList; current: Current }) {
  const router = useRouter()
  const pathname = usePathname()
  const [open, setOpen] = useState<"save" | "edit" | null>(null)
  const saved = useQuery("savedFilter.list", { list })
  const filters = saved.data?.data ?? []
  const used = filters.find(({ filter }) => isSame(filter, current))
  const isFiltered = Object.keys(current).length > 0
  return (
    <>
      <Menu
        align="start"
        className="max-w-80"
        trigger={
          <Button title="Saved filters" className="min-w-0 border-field! max-md:max-w-48 md:max-w-48 md:px-2.5!">
            <Bookmark aria-hidden="true" className={used ? "fill-current text-accent" : undefined} />
            {used ? <span className="truncate">{used.name}</span> : <span className="md:sr-only">Saved filters</span>}
            {used && <span className="sr-only"> (saved filter)</span>}
            <Icon name="chevron" className="text-muted" />
          </Button>
        }
      >
        {filters.length === 0 && <MenuLabel>Nothing saved yet. Only you see what you save.</MenuLabel>}
        {filters.map(({ id, name, filter }) => (
          <MenuItem
            key={id}
            {...(used?.id === id && { "aria-current": "true" })}
            onSelect={() => router.push(`${pathname}?${new URLSearchParams(filter)}`)}
          >
            <span className="min-w-0 flex-1 wrap-anywhere">{name}</span>
            <span aria-hidden="true" className="text-accent">
              {used?.id === id ? "✓" : ""}
            </span>
          </MenuItem>
        ))}
        <MenuSeparator />
        <MenuItem disabled={!isFiltered || used !== undefined} onSelect={() => setOpen("save")}>
          Save current filters…
        </MenuItem>
        {filters.length > 0 && <MenuItem onSelect={() => setOpen("edit")}>Rename or delete…</MenuItem>}
      </Menu>
      <Suspense>
        {open === "save" && <SaveFilters list={list} filter={current} onClose={() => setOpen(null)} />}
        {open === "edit" && <EditFilters filters={filters} onClose={() => setOpen(null)} />}
      </Suspense>
    </>
  )
}

const isSame = (one: Current, other: Current): boolean => nameOf(one) === nameOf(other)
const nameOf = (filter: Current): string => JSON.stringify(Object.entries(filter).sort())
