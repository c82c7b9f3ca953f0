import { useState } from "react"
import { useMutation } from "#app/(dashboard)/workspace.tsx"
import { Form, Submit, TextareaField } from "#app/components/form.tsx"
import { Card } from "#app/components/ui/card.tsx"
import type { Review } from "./review.ts"

/** Adds a note for other reviewers. It appears in the history. */
export function Notes({ review: { review_id } }: { review: Review }) {
  // Saving a note empties the form.
  const [written, setWritten] = useState(0)
  const note = useMutation((api, text: string) => api.review.note.mutate({ review_id, text }))
  return (
    <Card title="Add a note">
      <Form
        key={written}
        onSubmit={async (values) => {
          await note.mutateAsync(String(values.get("text")).replaceAll(/\s+/g, " ").trim())
          setWritten((count) => count + 1)
        }}
      >
        <TextareaField
          name="text"
          label="Note"
          hint="Visible to people who decide reviews. It cannot be changed, and is erased with the investor's data."
          required
          maxLength={2000}
          rows={3}
        />
        <Submit variant="outline">Add note</Submit>
      </Form>
    </Card>
  )
}
