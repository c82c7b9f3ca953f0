import { useMutation, useQuery } from "#app/(dashboard)/workspace.tsx"
import { SelectField } from "#app/components/form.tsx"
import { Confirm, FormDialog } from "#app/components/form-dialog.tsx"
import type { Key } from "./columns.tsx"
import type { NewSecret } from "./secret-once.tsx"

const graces = [
  [24 * 3600, "For 24 hours"],
  [3600, "For one hour"],
  [7 * 24 * 3600, "For 7 days"],
  [0, "Revoke it now"],
] as const

/** Gives a key a new secret. Its id stays, and so do the idempotency keys of its earlier requests. */
export function RotateKey({
  of: { key_id, name, start },
  onClose,
  onRotated,
}: {
  of: Key
  onClose: () => void
  onRotated: (secret: NewSecret) => void
}) {
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
