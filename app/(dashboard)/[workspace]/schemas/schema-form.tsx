import { useMutation } from "#app/(dashboard)/workspace.tsx"
import { SelectField, TextField } from "#app/components/form.tsx"
import { FormDialog } from "#app/components/form-dialog.tsx"

/** What of a schema can change, with its id. */
type Fields = {
  id: string
  name: string
  validity_days: number
  wallet_proof_setting: boolean | null
  reminder_days: readonly number[]
}

/** Creates or changes a schema. Its id cannot change, because issued credentials refer to it. */
export function SchemaForm({ of, onClose }: { of: Fields | null; onClose: () => void }) {
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
      title={of === null ? "Create a schema" : `Edit ${of.name}`}
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
