import { useEffect, useRef, useState } from "react"
import { type RouterOutputs, useMutation, useQuery } from "#app/(dashboard)/workspace.tsx"
import { CodeBlock } from "#app/components/code.tsx"
import { FieldGroup, Form, GroupButton, SelectField, TextField } from "#app/components/form.tsx"
import { Confirm, DialogSubmit, FormDialog } from "#app/components/form-dialog.tsx"
import { Loaded } from "#app/components/frame.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Dialog, DialogFooter } from "#app/components/ui/dialog.tsx"
import { Checkbox } from "#app/components/ui/input.tsx"

export type Key = RouterOutputs["key"]["list"]["data"][number]
type Scope = Key["scopes"][number]
type Options = RouterOutputs["key"]["options"]

const DAY_MS = 86_400_000

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

type KeyFormProps = { options: Options; onClose: () => void; onCreated: (secret: NewSecret) => void }

function KeyForm({ options, onClose, onCreated }: KeyFormProps) {
  const [chosen, setChosen] = useState<ReadonlySet<Scope>>(new Set())
  const [expiry, setExpiry] = useState("never")
  const create = useMutation((api, input: { name: string; scopes: Scope[]; expires_at: string | null }) =>
    api.key.create.mutate(input),
  )
  const all = options.scopes.map(({ scope }) => scope)
  const reading = all.filter((scope) => scope.endsWith(":read"))

  const inArea = (area: string) => options.scopes.filter(({ scope }) => areaOf[objectOf(scope)] === area)

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
      <TextField
        ref={focusOn}
        label="Name"
        name="name"
        hint="Where you use this key."
        required
        maxLength={100}
        autoComplete="off"
      />
      <FieldGroup legend="Scopes" name="scopes">
        <div className="mb-1 flex gap-4 text-[13px]">
          <GroupButton onClick={() => setChosen(new Set(reading))}>Read only</GroupButton>
          <GroupButton onClick={() => setChosen(new Set(all))}>All</GroupButton>
        </div>
        {areas.map((area) => (
          <fieldset key={area} className="mt-2 min-w-0">
            <legend className="text-xs text-muted">{area}</legend>
            <div className="grid gap-x-4 sm:grid-cols-2">
              {inArea(area).map(({ scope, words }) => (
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
          </fieldset>
        ))}
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
      <DialogSubmit isPinned>Create key</DialogSubmit>
    </Form>
  )
}

type ScopedObject = Scope extends `${infer O}:${string}` ? O : never
const objectOf = (scope: Scope) => scope.split(":")[0] as ScopedObject

/** Where the form lists the scopes of each object. A missing object does not compile. */
const areaOf = {
  kyc: "People",
  investor: "People",
  attestation: "People",
  token: "Tokens",
  config: "Tokens",
  register: "Tokens",
  distribution: "Tokens",
  schema: "Integration",
  events: "Integration",
  webhooks: "Integration",
} as const satisfies Record<ScopedObject, string>

const areas = [...new Set(Object.values(areaOf))]

/** The form appears after its dialog, which had nothing else to focus on than its button to close. */
const focusOn = (field: HTMLInputElement | null) => field?.focus()

const toTimestamp = (time: Date) => `${time.toISOString().slice(0, 19)}Z`

/** The last second of the chosen day in the reader's time zone. */
const endOfDay = (values: FormData) => new Date(`${values.get("expires_at")}T23:59:59`)

function expiresAt(expiry: string, values: FormData): string | null {
  if (expiry === "never") return null
  if (expiry === "date") return toTimestamp(endOfDay(values))
  return toTimestamp(new Date(Date.now() + Number(expiry) * DAY_MS))
}

const graces = [
  [24 * 3600, "For 24 hours"],
  [3600, "For one hour"],
  [7 * 24 * 3600, "For 7 days"],
  [0, "Revoke it now"],
] as const

type RotateKeyProps = { of: Key; onClose: () => void; onRotated: (secret: NewSecret) => void }

/** Gives a key a new secret. Its id stays, and so do the idempotency keys of its earlier requests. */
export function RotateKey({ of: { key_id, name, start }, onClose, onRotated }: RotateKeyProps) {
  // Read in advance: once the new secret exists, nothing may fail before it is shown.
  const options = useQuery("key.options", {})
  const rotate = useMutation((api, grace_seconds: number) => api.key.rotate.mutate({ key_id, grace_seconds }))
  return (
    <FormDialog
      onClose={onClose}
      title={`Rotate ${name}`}
      description="Creates a new secret with the same scopes. Put it in your server before the old one stops working."
      className="max-w-md!"
      submit="Rotate key"
      onSubmit={async (values) => {
        const { api_key } = await rotate.mutateAsync(Number(values.get("grace_seconds")))
        onRotated({
          title: `${name} has a new secret`,
          apiKey: api_key,
          keyId: key_id,
          baseUrl: options.data?.base_url ?? `${window.location.origin}/v1`,
        })
      }}
    >
      <SelectField
        label={
          <>
            The old secret, <code className="font-mono">{start}…</code>, works
          </>
        }
        name="grace_seconds"
        options={graces}
      />
    </FormDialog>
  )
}

/** Permanently revokes a key, once the member has typed its first characters. */
export function RevokeKey({ of: { key_id, name, start }, onClose }: { of: Key; onClose: () => void }) {
  const revoke = useMutation((api) => api.key.revoke.mutate({ key_id }))
  return (
    <Confirm
      onClose={onClose}
      title={`Revoke ${name}`}
      description="Requests with this key fail within five seconds. You cannot undo this."
      confirm="Revoke key"
      word={start}
      onConfirm={() => revoke.mutateAsync()}
    />
  )
}

export type NewSecret = { title: string; apiKey: string; keyId: string; baseUrl: string }

type SecretOnceProps = { secret: NewSecret; onStored: () => void }

/** Shows a secret once. Stays open until the reader confirms that they stored it, which copying it does for them. */
export function SecretOnce({ secret: { title, apiKey, baseUrl }, onStored }: SecretOnceProps) {
  const [isStored, setStored] = useState(false)
  const [isAsked, setAsked] = useState(false)
  const box = useRef<HTMLInputElement>(null)

  // A tab that is closed or left takes the secret with it.
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    if (!isStored) window.addEventListener("beforeunload", ask)
    return () => window.removeEventListener("beforeunload", ask)
  }, [isStored])

  function leave() {
    if (isStored) return onStored()
    setAsked(true)
    box.current?.focus()
  }

  return (
    <Dialog
      onClose={leave}
      title={title}
      description="Copy this key now and store it with your server's secrets. It is not shown again."
    >
      <div className="space-y-4">
        <CodeBlock label="API key" code={apiKey} onCopied={() => setStored(true)} />
        <CodeBlock label="Try it" code={`curl ${baseUrl}/schemas \\\n  -H "Authorization: Bearer ${apiKey}"`} />
        <div>
          <Checkbox
            ref={box}
            checked={isStored}
            aria-invalid={isAsked && !isStored ? true : undefined}
            aria-describedby={isAsked && !isStored ? "store-first" : undefined}
            onChange={({ target }) => setStored(target.checked)}
          >
            I have stored this key
          </Checkbox>
          {isAsked && !isStored && (
            <p id="store-first" role="alert" className="text-[13px] text-danger">
              Confirm that you stored the key: after you close this, no one can see it again.
            </p>
          )}
        </div>
      </div>
      <DialogFooter>
        <Button variant="primary" onClick={leave}>
          Done
        </Button>
      </DialogFooter>
    </Dialog>
  )
}
