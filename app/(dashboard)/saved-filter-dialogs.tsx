import { useMutation } from "#app/(dashboard)/workspace.tsx"
import { Form, TextField } from "#app/components/form.tsx"
import { FormDialog } from "#app/components/form-dialog.tsx"
import { notify } from "#app/components/toast.ts"
import { Button } from "#app/components/ui/button.tsx"
import { Dialog } from "#app/components/ui/dialog.tsx"
import type { SavedFilter } from "#server/dashboard/saved-filters.ts"
import type { FilteredList } from "#shared/saved-filters.ts"

const MOST_LETTERS = 60

type SaveProps = { list: FilteredList; filter: Record<string, string>; onClose: () => void }

export function SaveFilters({ list, filter, onClose }: SaveProps) {
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

export const EditFilters = ({ filters, onClose }: { filters: SavedFilter[]; onClose: () => void }) => (
  <Dialog onClose={onClose} title="Saved filters" description="Only you see what you save.">
    <ul className="mt-4 space-y-4">
      {filters.map((filter) => (
        <Edit key={filter.id} filter={filter} />
      ))}
    </ul>
    {filters.length === 0 && <p className="text-muted">No saved filters.</p>}
  </Dialog>
)

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
