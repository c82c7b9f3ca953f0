import { useState } from "react"
import { useMutation, useQuery } from "#app/(dashboard)/workspace.tsx"
import type { RouterOutputs } from "#app/api.ts"
import { FieldGroup, Form, GroupButton, SelectField, TextField } from "#app/components/form.tsx"
import { DialogSubmit } from "#app/components/form-dialog.tsx"
import { Loaded } from "#app/components/loaded.tsx"
import { Checkbox } from "#app/components/ui/checkbox.tsx"
import { Dialog } from "#app/components/ui/dialog.tsx"
import type { Key } from "./columns.tsx"
import type { NewSecret } from "./secret-once.tsx"

type Scope = Key["scopes"][number]
type Options = RouterOutputs["key"]["options"]

const DAY_MS = 86_400_000

/** Asks what a new key is for and creates it. */
export function CreateKey({ onClose, onCreated }: { onClose: () => void; onCreated: (secret: NewSecret) => void }) {
  const options = useQuery("key.options", {})
  return (
    <Dialog onClose={onClose} title="Create an API key" description="Select only the scopes that your server needs.">
      <Loaded query={options} what="the scopes">
        {(data) => <KeyForm options={data} onClose={onClose} onCreated={onCreated} />}
      </Loaded>
    </Dialog>
  )
}

function KeyForm({
  options,
  onClose,
  onCreated,
}: {
  options: Options
  onClose: () => void
  onCreated: (secret: NewSecret) => void
}) {
  const [chosen, setChosen] = useState<ReadonlySet<Scope>>(new Set())
  const [expiry, setExpiry] = useState("never")
  const create = useMutation((api, input: { name: string; scopes: Scope[]; expires_at: string | null }) =>
    api.key.create.mutate(input),
  )
  const all = options.scopes.map(({ scope }) => scope)
  const reading = all.filter((scope) => scope.endsWith(":read"))

  function toggle(scope: Scope) {
    const next = new Set(chosen)
    if (!next.delete(scope)) next.add(scope)
    setChosen(next)
  }

  return (
    <Form
      check={(values) => ({
        scopes: chosen.size === 0 ? "Select at least one scope." : undefined,
        expires_at: expiry === "date" && !(endOfDay(values) > new Date()) ? "Choose a date in the future." : undefined,
      })}
      onSubmit={async (values) => {
        const name = String(values.get("name"))
        const { api_key, key_id } = await create.mutateAsync({
          name,
          scopes: all.filter((scope) => chosen.has(scope)),
          expires_at: expiresAt(expiry, values),
        })
        onClose()
        onCreated({ title: `${name} is ready`, apiKey: api_key, keyId: key_id, baseUrl: options.base_url })
      }}
    >
      <TextField label="Name" name="name" hint="Where you use this key." required maxLength={100} autoComplete="off" />
      <FieldGroup legend="Scopes" name="scopes">
        <div className="mb-1 flex gap-4 text-[13px]">
          <GroupButton onClick={() => setChosen(new Set(reading))}>Read only</GroupButton>
          <GroupButton onClick={() => setChosen(new Set(all))}>All</GroupButton>
        </div>
        <div className="grid gap-x-4 sm:grid-cols-2">
          {options.scopes.map(({ scope, words }) => (
            <Checkbox
              key={scope}
              name="scopes"
              value={scope}
              checked={chosen.has(scope)}
              onChange={() => toggle(scope)}
              hint={<code className="font-mono text-xs">{scope}</code>}
            >
              {words}
            </Checkbox>
          ))}
        </div>
      </FieldGroup>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField label="Expiry" name="expiry" value={expiry} onChange={({ target }) => setExpiry(target.value)}>
          <option value="never">Never</option>
          <option value="30">In 30 days</option>
          <option value="90">In 90 days</option>
          <option value="date">On a date</option>
        </SelectField>
        {expiry === "date" && <TextField label="Last date" name="expires_at" required type="date" />}
      </div>
      <DialogSubmit>Create key</DialogSubmit>
    </Form>
  )
}

const toTimestamp = (time: Date) => `${time.toISOString().slice(0, 19)}Z`

/** The last second of the chosen day in the reader's time zone. */
const endOfDay = (values: FormData) => new Date(`${values.get("expires_at")}T23:59:59`)

function expiresAt(expiry: string, values: FormData): string | null {
  if (expiry === "never") return null
  if (expiry === "date") return toTimestamp(endOfDay(values))
  return toTimestamp(new Date(Date.now() + Number(expiry) * DAY_MS))
}
