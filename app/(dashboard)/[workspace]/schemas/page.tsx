"use client"

import { FilePlus2 } from "lucide-react"
import { useState } from "react"
import { ListPage, useList } from "#app/(dashboard)/list.tsx"
import { type RouterOutputs, To, useMutation, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { actions, type Column } from "#app/components/data-table.tsx"
import { SelectField, TextField } from "#app/components/form.tsx"
import { FormDialog } from "#app/components/form-dialog.tsx"
import { Empty } from "#app/components/frame.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"

export default function Page() {
  const { can } = useWorkspace()
  const mayChange = can("schema:write")
  const [form, setForm] = useState<{ of: Schema | null } | null>(null)
  return (
    <>
      <ListPage
        title="Schemas"
        description="A schema is a check that this workspace offers. It sets how long a verification stays valid after the provider's decision."
        actions={
          mayChange && (
            <Button variant="primary" onClick={() => setForm({ of: null })}>
              <FilePlus2 aria-hidden="true" />
              Create schema
            </Button>
          )
        }
        list={useList("schema.summary")}
        columns={mayChange ? [...columns, change((of) => setForm({ of }))] : columns}
        rowKey={({ id }) => id}
        empty={<Empty title="No schemas yet">Create a schema, then start sessions for it.</Empty>}
      />
      {form && <SchemaForm of={form.of} onClose={() => setForm(null)} />}
    </>
  )
}

const columns: Column<Schema>[] = [
  {
    header: "Schema",
    cell: (row) => (
      <>
        <span className="block min-w-32 font-medium">{row.name}</span>
        <code className="font-mono text-xs text-muted">{row.id}</code>
        {/* On narrow screens, in place of their columns. */}
        <span className="block text-xs text-muted sm:hidden">
          Valid for {days(row.validity_days)}, <Verified of={row} /> verified now
        </span>
      </>
    ),
  },
  {
    header: "Valid for",
    align: "end",
    className: "max-sm:hidden",
    cell: ({ validity_days }) => <span className="whitespace-nowrap">{days(validity_days)}</span>,
  },
  { header: "Verified now", align: "end", className: "max-sm:hidden", cell: (row) => <Verified of={row} /> },
  {
    header: "Created",
    wideOnly: true,
    className: "whitespace-nowrap",
    cell: ({ created_at }) => <Timestamp at={created_at} />,
  },
]

const change = (open: (schema: Schema) => void) =>
  actions<Schema>((row) => (
    <Button size="sm" onClick={() => open(row)} aria-label={`Change ${row.name}`}>
      Change
    </Button>
  ))

const count = new Intl.NumberFormat("en-GB")

const days = (number: number): string => `${count.format(number)} ${number === 1 ? "day" : "days"}`

function Verified({ of: { id, verified } }: { of: Schema }) {
  const words = `${count.format(verified.count)}${verified.more ? "+" : ""}`
  if (verified.count === 0) return <span className="text-muted">{words}</span>
  return (
    <To
      path={["attestations"]}
      query={`?schema=${id}&status=verified`}
      className="rounded-sm underline decoration-line underline-offset-4 hover:decoration-current"
    >
      {words}
      <span className="sr-only"> verified attestations of {id}</span>
    </To>
  )
}

type Schema = RouterOutputs["schema"]["summary"]["data"][number]

/** Creates or changes a schema. Its id cannot change, because issued credentials refer to it. */
function SchemaForm({ of, onClose }: { of: Schema | null; onClose: () => void }) {
  const save = useMutation(
    (
      api,
      fields: {
        id: string
        name: string
        validity_days: number
        wallet_proof: boolean | null
        reminder_days: number[]
      },
    ) => (of === null ? api.schema.create.mutate(fields) : api.schema.change.mutate(fields)),
  )
  return (
    <FormDialog
      onClose={onClose}
      title={of === null ? "Create a schema" : `Change ${of.name}`}
      description={
        of === null
          ? "A schema defines a check and how long it stays valid. Its credential is created on chain with the first attestation."
          : "Changes apply to decisions from now on. Issued credentials keep their expiry, which is on chain."
      }
      className="max-w-md!"
      submit={of === null ? "Create schema" : "Save"}
      onSubmit={async (values) => {
        await save.mutateAsync({
          id: of?.id ?? String(values.get("id")),
          name: String(values.get("name")),
          validity_days: Number(values.get("validity_days")),
          wallet_proof: settingOf(String(values.get("wallet_proof"))),
          reminder_days: daysOf(String(values.get("reminder_days"))),
        })
      }}
    >
      {of === null && (
        <TextField
          label="Id"
          name="id"
          hint="3 to 64 characters: a–z, 0–9 and _, starting with a letter. Used as schemaId in the API. It cannot be changed."
          required
          className="font-mono"
          maxLength={64}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder="residency_v1"
        />
      )}
      <TextField label="Name" name="name" required maxLength={100} autoComplete="off" defaultValue={of?.name} />
      <TextField
        label="Valid for (days)"
        name="validity_days"
        required
        type="number"
        min={1}
        max={3650}
        step={1}
        defaultValue={of?.validity_days ?? 365}
      />
      <SelectField
        label="Wallet proof"
        name="wallet_proof"
        hint="The investor signs a message with the wallet before the check. Applies to sessions started from now on."
        defaultValue={String(of?.wallet_proof_setting ?? null)}
      >
        <option value="null">Default: required in live mode, except with the sandbox</option>
        <option value="true">Required</option>
        <option value="false">Not required</option>
      </SelectField>
      <TextField
        label="Remind investors (days before it expires)"
        name="reminder_days"
        hint="Up to five numbers, separated by commas; empty for none. Sent only while reminders are on in Settings."
        inputMode="numeric"
        autoComplete="off"
        pattern="\s*(\d{1,3}\s*(,\s*\d{1,3}\s*){0,4})?"
        defaultValue={(of?.reminder_days ?? [30, 7, 1]).join(", ")}
      />
    </FormDialog>
  )
}

const settingOf = (value: string): boolean | null => (value === "null" ? null : value === "true")

const daysOf = (text: string): number[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map(Number)
