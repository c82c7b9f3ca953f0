import { useRef, useState } from "react"
import { type RouterOutputs, useMutation, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Form, Submit, TextareaField } from "#app/components/form.tsx"
import { Confirm } from "#app/components/form-dialog.tsx"
import { Card, Loaded } from "#app/components/frame.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"

type Note = RouterOutputs["investor"]["notes"]["data"][number]

const MAX_NOTE = 2000

/** Members' notes about an investor, newest first. An erased investor gets no new notes. */
export function Notes({ investorId, isErased }: { investorId: string; isErased: boolean }) {
  const { can } = useWorkspace()
  // Cursors of the previous pages. Not in the address, which holds the cursor of the list below.
  const [pages, setPages] = useState<readonly string[]>([])
  const cursor = pages.at(-1)
  const notes = useQuery("investor.notes", { id: investorId, ...(cursor && { cursor }) }, { keep: true })
  const next = notes.data?.next_cursor ?? null
  return (
    <Card title="Notes" description="Visible to owners and compliance, never to the investor.">
      {can("review:write") && !isErased && <AddNote investorId={investorId} />}
      <Loaded query={notes} what="the notes" lines={2} className="py-4!">
        {(data) => <NoteList notes={data.data} isErased={isErased} />}
      </Loaded>
      {(cursor || next) && (
        <nav aria-label="Pages of notes" className="mt-3 flex justify-end gap-2">
          <Button size="sm" disabled={!cursor} onClick={() => setPages(pages.slice(0, -1))}>
            Newer
          </Button>
          <Button size="sm" disabled={!next} onClick={() => next && setPages([...pages, next])}>
            Older
          </Button>
        </nav>
      )}
    </Card>
  )
}

/** One line, which grows once a member writes. */
function AddNote({ investorId }: { investorId: string }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const [isOpen, setOpen] = useState(false)
  const add = useMutation((api, text: string) => api.investor.addNote.mutate({ id: investorId, text: clean(text) }))
  return (
    <Form
      onSubmit={async (values) => {
        await add.mutateAsync(String(values.get("text")))
        if (field.current) field.current.value = ""
        field.current?.focus()
      }}
    >
      <TextareaField
        label="New note"
        name="text"
        required
        ref={field}
        rows={isOpen ? 3 : 1}
        maxLength={MAX_NOTE}
        onFocus={() => setOpen(true)}
        onBlur={({ target, relatedTarget }) => {
          if (target.value === "" && !target.form?.contains(relatedTarget)) setOpen(false)
        }}
      />
      {isOpen && (
        <Submit size="sm" variant="outline">
          Add note
        </Submit>
      )}
    </Form>
  )
}

/** Browsers send a line break as two characters. */
const clean = (text: string) => text.replaceAll("\r\n", "\n").trim()

function NoteList({ notes, isErased }: { notes: readonly Note[]; isErased: boolean }) {
  // The field for a new one says enough.
  if (notes.length === 0) return isErased && <p className="text-muted">None are stored.</p>
  return (
    <ul aria-label="Notes" className="mt-5 divide-y divide-line first:mt-0">
      {notes.map((note) => (
        <li key={note.note_id} className="py-3 first:pt-0 last:pb-0">
          <OneNote note={note} />
        </li>
      ))}
    </ul>
  )
}

function OneNote({ note }: { note: Note }) {
  const { can } = useWorkspace()
  const [isEditing, setEditing] = useState(false)
  const edit = useMutation((api, text: string) =>
    api.investor.editNote.mutate({ note_id: note.note_id, text: clean(text) }),
  )
  const remove = useMutation((api) => api.investor.deleteNote.mutate({ note_id: note.note_id }))
  if (isEditing) {
    return (
      <Form
        onSubmit={async (values) => {
          await edit.mutateAsync(String(values.get("text")))
          setEditing(false)
        }}
      >
        <TextareaField
          label="Edit note"
          name="text"
          required
          rows={4}
          maxLength={MAX_NOTE}
          defaultValue={note.text}
          autoFocus
        />
        <div className="flex gap-2">
          <Submit size="sm">Save</Submit>
          <Button size="sm" onClick={() => setEditing(false)}>
            Cancel
          </Button>
        </div>
      </Form>
    )
  }
  return (
    <>
      <p className="wrap-anywhere whitespace-pre-wrap">{note.text}</p>
      <p className="mt-1 text-[13px] text-muted">
        {note.author}, <Timestamp at={note.created_at} />
        {note.edited_at && (
          <>
            , edited <Timestamp at={note.edited_at} />
          </>
        )}
      </p>
      {can("review:write") && (note.is_own || note.can_delete) && (
        <div className="mt-1.5 flex gap-2">
          {note.is_own && (
            <Button size="xs" onClick={() => setEditing(true)}>
              Edit<span className="sr-only"> the note of {note.author}</span>
            </Button>
          )}
          {note.can_delete && (
            <Confirm
              trigger={
                <Button size="xs">
                  Delete<span className="sr-only"> the note of {note.author}</span>
                </Button>
              }
              title="Delete this note?"
              description="Its text is deleted permanently. The audit log keeps who deleted a note and when."
              confirm="Delete"
              onConfirm={() => remove.mutateAsync()}
            />
          )}
        </div>
      )}
    </>
  )
}
