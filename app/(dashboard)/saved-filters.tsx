import { usePathname, useRouter } from "next/navigation.js"
import { useState } from "react"
import { useMutation, useQuery } from "#app/(dashboard)/workspace.tsx"
import { Form, TextField } from "#app/components/form.tsx"
import { FormDialog } from "#app/components/form-dialog.tsx"
import { notify } from "#app/components/toast.ts"
import { Button } from "#app/components/ui/button.tsx"
import { Dialog } from "#app/components/ui/dialog.tsx"
import { Menu, MenuItem, MenuLabel, MenuSeparator } from "#app/components/ui/menu.tsx"
import type { SavedFilter } from "#server/dashboard/saved-filters.ts"
import type { FilteredList } from "#shared/saved-filters.ts"

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
          <Button className="min-w-0 max-md:max-w-48 md:max-w-60">
            <span className="truncate">{used ? used.name : "Saved filters"}</span>
            {used && <span className="sr-only"> (saved filter)</span>}
            <span aria-hidden="true" className="text-muted">
              ▾
            </span>
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
      {open === "save" && <Save list={list} filter={current} onClose={() => setOpen(null)} />}
      {open === "edit" && (
        <Dialog onClose={() => setOpen(null)} title="Saved filters" description="Only you see what you save.">
          <ul className="mt-4 space-y-4">
            {filters.map((filter) => (
              <Edit key={filter.id} filter={filter} />
            ))}
          </ul>
          {filters.length === 0 && <p className="text-muted">No saved filters.</p>}
        </Dialog>
      )}
    </>
  )
}

const MOST_LETTERS = 60

function Save({ list, filter, onClose }: { list: FilteredList; filter: Current; onClose: () => void }) {
  const save = useMutation((api, name: string) => api.savedFilter.save.mutate({ list, name, filter }))
  return (
    <FormDialog
      onClose={onClose}
      title="Save current filters"
      description="You find them in the menu of this list."
      submit="Save"
      onSubmit={(values) => save.mutateAsync(String(values.get("name")).trim())}
    >
      <TextField label="Name" name="name" required maxLength={MOST_LETTERS} autoComplete="off" />
    </FormDialog>
  )
}

function Edit({ filter: { id, name } }: { filter: SavedFilter }) {
  const rename = useMutation((api, name: string) => api.savedFilter.rename.mutate({ id, name }))
  const remove = useMutation((api) => api.savedFilter.remove.mutate({ id }))
  return (
    <li>
      <Form
        className="flex items-end gap-2 space-y-0!"
        aria-label={name}
        onSubmit={async (values) => {
          await rename.mutateAsync(String(values.get("name")).trim())
          notify("Renamed")
        }}
      >
        <TextField label="Name" name="name" required defaultValue={name} maxLength={MOST_LETTERS} autoComplete="off" />
        <Button type="submit" pending={rename.isPending}>
          Rename
        </Button>
        <Button pending={remove.isPending} onClick={() => remove.mutate()}>
          Delete
          <span className="sr-only"> {name}</span>
        </Button>
      </Form>
    </li>
  )
}

const isSame = (one: Current, other: Current): boolean => nameOf(one) === nameOf(other)
const nameOf = (filter: Current): string => JSON.stringify(Object.entries(filter).sort())
