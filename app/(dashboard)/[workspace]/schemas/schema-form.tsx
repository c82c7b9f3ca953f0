"use client"

import { useMutation } from "#app/(dashboard)/workspace.tsx"
import type { RouterOutputs } from "#app/api.ts"
import { Field, Form, Submit } from "#app/components/form.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Dialog, DialogClose, DialogContent, DialogFooter } from "#app/components/ui/dialog.tsx"
import { Input } from "#app/components/ui/input.tsx"

export type Schema = RouterOutputs["schema"]["summary"]["data"][number]

/** Makes a schema, or changes one: its id stays, as what was issued speaks of it. */
export function SchemaForm({ of, onClose }: { of: Schema | null; onClose: () => void }) {
  const save = useMutation(
    (api, fields: { id: string; name: string; validity_days: number }) =>
      of === null ? api.schema.create.mutate(fields) : api.schema.change.mutate(fields),
    { refresh: ["schemas"], quiet: true },
  )
  return (
    <Dialog open onOpenChange={(open) => open || onClose()}>
      <DialogContent
        title={of === null ? "Create a schema" : `Change ${of.name}`}
        description={
          of === null
            ? "A schema defines a check and how long it stays valid. Its credential is created on chain with the first attestation."
            : "Changes apply to decisions from now on. Issued credentials keep their expiry, which is on chain."
        }
        className="max-w-md!"
      >
        <Form
          onSubmit={async (values) => {
            await save.mutateAsync({
              id: of?.id ?? String(values.get("id")),
              name: String(values.get("name")),
              validity_days: Number(values.get("validity_days")),
            })
            onClose()
          }}
        >
          {of === null && (
            <Field
              label="Id"
              name="id"
              hint="3 to 64 characters: a–z, 0–9 and _, starting with a letter. Used as schemaId in the API. It cannot be changed."
              required
            >
              <Input
                className="font-mono"
                maxLength={64}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                placeholder="residency_v1"
              />
            </Field>
          )}
          <Field label="Name" name="name" required>
            <Input maxLength={100} autoComplete="off" defaultValue={of?.name} />
          </Field>
          <Field label="Valid for (days)" name="validity_days" required>
            <Input type="number" min={1} max={3650} step={1} defaultValue={of?.validity_days ?? 365} />
          </Field>
          <DialogFooter>
            <DialogClose>
              <Button>Cancel</Button>
            </DialogClose>
            <Submit>{of === null ? "Create schema" : "Save"}</Submit>
          </DialogFooter>
        </Form>
      </DialogContent>
    </Dialog>
  )
}
