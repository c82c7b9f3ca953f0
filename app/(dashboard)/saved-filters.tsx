import { usePathname, useRouter } from "next/navigation.js"
import { useState } from "react"
import { useMutation, useQuery } from "#app/(dashboard)/workspace.tsx"
import { Field, Form } from "#app/components/form.tsx"
import { FormDialog } from "#app/components/form-dialog.tsx"
import { notify } from "#app/components/toast.ts"
import { Button } from "#app/components/ui/button.tsx"
import { Dialog, DialogContent } from "#app/components/ui/dialog.tsx"
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from "#app/components/ui/dropdown-menu.tsx"
import { Input } from "#app/components/ui/input.tsx"
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
      <DropdownMenu>
        <DropdownMenuTrigger>
          <Button className="min-w-0 max-sm:w-full sm:max-w-60">
            <span className="truncate">{used ? used.name : "Saved filters"}</span>
            {used && <span className="sr-only"> (saved filter)</span>}
            <span aria-hidden="true" className="text-muted">
              ▾
            </span>
          </Button>
        </DropdownMenuTrigger>
        <DropdownMenuContent align="start" className="max-w-80">
          {filters.length === 0 && (
            <DropdownMenuLabel>Nothing saved yet. Only you see what you save.</DropdownMenuLabel>
          )}
          {filters.map(({ id, name, filter }) => (
            <DropdownMenuItem
              key={id}
              {...(used?.id === id && { "aria-current": "true" })}
              onSelect={() => router.push(`${pathname}?${new URLSearchParams(filter)}`)}
            >
              <span className="min-w-0 flex-1 wrap-anywhere">{name}</span>
              <span aria-hidden="true" className="text-accent">
                {used?.id === id ? "✓" : ""}
              </span>
            </DropdownMenuItem>
          ))}
          <DropdownMenuSeparator />
          <DropdownMenuItem disabled={!isFiltered || used !== undefined} onSelect={() => setOpen("save")}>
            Save current filters…
          </DropdownMenuItem>
          {filters.length > 0 && (
            <DropdownMenuItem onSelect={() => setOpen("edit")}>Rename or delete…</DropdownMenuItem>
          )}
        </DropdownMenuContent>
      </DropdownMenu>
      {open === "save" && <Save list={list} filter={current} onClose={() => setOpen(null)} />}
      <Dialog open={open === "edit"} onOpenChange={(isOpen) => setOpen(isOpen ? "edit" : null)}>
        <DialogContent title="Saved filters" description="Only you see what you save.">
          <ul className="mt-4 space-y-4">
            {filters.map((filter) => (
              <Edit key={filter.id} filter={filter} />
            ))}
          </ul>
          {filters.length === 0 && <p className="text-muted">No saved filters.</p>}
        </DialogContent>
      </Dialog>
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
      <Field label="Name" name="name" required>
        <Input maxLength={MOST_LETTERS} autoComplete="off" />
      </Field>
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
        <Field label="Name" name="name" required className="flex-1">
          <Input defaultValue={name} maxLength={MOST_LETTERS} autoComplete="off" />
        </Field>
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
