import { useState } from "react"
import { useIdempotencyKey } from "#app/(dashboard)/[workspace]/tokens/idempotency-key.ts"
import type { TokenView } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { useMutation } from "#app/(dashboard)/workspace.tsx"
import { Form, Submit, TextField } from "#app/components/form.tsx"
import { instantIn } from "#app/components/local-time.ts"
import { notify } from "#app/components/toast.ts"
import { useTimeZone } from "#app/components/zone.ts"
import { toTimestamp } from "#shared/timestamp.ts"

/** Asks for a snapshot of a token's register on a record date. */
export function TakeSnapshot({ token, onDone }: { token: TokenView; onDone: () => void }) {
  const zone = useTimeZone()
  const [name, setName] = useState("")
  const [local, setLocal] = useState("")
  const recordAt = instantIn(zone, local)
  const key = useIdempotencyKey(["snapshot", token.id, name.trim(), local], recordAt !== null && name.trim() !== "")
  const take = useMutation((api) =>
    key.send((idempotencyKey) =>
      api.snapshot.create.mutate(
        { mint_config: token.id, name: name.trim(), record_at: toTimestamp(recordAt!) },
        { context: { idempotencyKey } },
      ),
    ),
  )
  return (
    <Form
      check={() => (recordAt === null ? { record_at: "Enter a date and a time." } : {})}
      onSubmit={async () => {
        await take.mutateAsync()
        key.forget()
        notify("Snapshot requested. It is ready some seconds after its record date.")
        onDone()
      }}
    >
      <TextField
        name="name"
        label="Name"
        required
        maxLength={100}
        placeholder="Record date Q4 2025"
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <TextField
        name="record_at"
        label="Record date"
        hint={`In ${zone}. In the past or in the future. Everything up to the end of this second counts.`}
        type="datetime-local"
        step={1}
        required
        value={local}
        onChange={({ target }) => setLocal(target.value)}
      />
      <Submit className="w-full">Take the snapshot</Submit>
    </Form>
  )
}
