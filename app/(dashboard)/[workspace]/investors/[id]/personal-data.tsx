import { useRef, useState } from "react"
import { type RouterOutputs, useMutation, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Badge } from "#app/components/badge.tsx"
import { Copyable } from "#app/components/code.tsx"
import { Form, Submit, TextareaField } from "#app/components/form.tsx"
import { Confirm } from "#app/components/form-dialog.tsx"
import { Card, Loaded } from "#app/components/frame.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { notify } from "#app/components/toast.ts"
import { Button } from "#app/components/ui/button.tsx"
import type { Redaction } from "#domain/privacy"

type InvestorView = RouterOutputs["investor"]["view"]

/** Permanently erases the data about a person. */
export function Erase({ investor: { investor_id }, onClose }: { investor: InvestorView; onClose: () => void }) {
  const erase = useMutation((api) => api.erasure.investor.mutate({ id: investor_id }))
  return (
    <Confirm
      onClose={onClose}
      title="Erase this investor’s data?"
      description="All verifications of all their wallets end, and their credentials are destroyed on chain within seconds. Claims, your own id, reasons, notes, stored answers and logged requests are deleted, and vendors are asked to delete theirs. Wallet addresses and token balances stay. You cannot undo this."
      confirm="Erase data"
      word="ERASE"
      onConfirm={async () => {
        await erase.mutateAsync()
        notify("Data erased")
      }}
    />
  )
}

const copy = {
  requested: { word: "Asked to delete", tone: "notice" },
  done: { word: "Deleted", tone: "good" },
  failed: { word: "Not deleted yet", tone: "bad" },
  not_supported: { word: "Ask the vendor yourself", tone: "bad" },
  kept: { word: "Kept for another wallet", tone: "plain" },
} as const satisfies Record<Redaction["status"], { word: string; tone: "notice" | "good" | "bad" | "plain" }>

/** How far vendors are with deleting the data of an erased person. Shows nothing if no vendor has any. */
export function VendorRedactions({ investorId }: { investorId: string }) {
  const { data } = useQuery("erasure.redactions", { investorId })
  const confirm = useMutation((api, id: string) => api.erasure.confirm.mutate({ id }))
  if (!data || data.length === 0) return null
  return (
    <Card title="Data at vendors" description="Data about this person that Vouch asked KYC vendors to delete.">
      <ul className="divide-y divide-line">
        {data.map(({ id, provider, status, reference }) => (
          <li key={id} className="space-y-2 py-2.5 first:pt-0 last:pb-0">
            <p className="flex flex-wrap items-center justify-between gap-2">
              <span className="font-medium">{provider}</span>
              <Badge tone={copy[status].tone}>{copy[status].word}</Badge>
            </p>
            {reference !== null && (
              <div className="space-y-2 text-[13px]">
                <p className="text-muted">
                  {status === "failed"
                    ? `${provider} has not answered for hours. Vouch keeps asking; you can also ask them to delete this check:`
                    : `${provider} has no API to delete data. Ask them to delete this check:`}
                </p>
                <Copyable value={reference} what="the vendor’s id of the check" compact />
                <div>
                  <Confirm
                    trigger={<Button size="sm">Mark as deleted</Button>}
                    title={`Has ${provider} deleted it?`}
                    description="The check’s id is removed here, and the audit log says who confirmed it."
                    confirm="Mark as deleted"
                    danger={false}
                    onConfirm={() => confirm.mutateAsync(id)}
                  />
                </div>
              </div>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

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
        {(data) => <NoteList notes={data.data} />}
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

function AddNote({ investorId }: { investorId: string }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const add = useMutation((api, text: string) => api.investor.addNote.mutate({ id: investorId, text: clean(text) }))
  return (
    <Form
      className="mb-5"
      onSubmit={async (values) => {
        await add.mutateAsync(String(values.get("text")))
        if (field.current) field.current.value = ""
        field.current?.focus()
      }}
    >
      <TextareaField label="New note" name="text" required ref={field} rows={3} maxLength={MAX_NOTE} />
      <Submit size="sm" variant="outline">
        Add note
      </Submit>
    </Form>
  )
}

/** Browsers send a line break as two characters. */
const clean = (text: string) => text.replaceAll("\r\n", "\n").trim()

function NoteList({ notes }: { notes: readonly Note[] }) {
  if (notes.length === 0) return <p className="text-muted">No notes yet.</p>
  return (
    <ul aria-label="Notes" className="divide-y divide-line">
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
