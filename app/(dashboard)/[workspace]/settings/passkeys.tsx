import { useQuery, useQueryClient } from "@tanstack/react-query"
import { withAuth } from "#app/(access)/with-auth.ts"
import { TextField } from "#app/components/form.tsx"
import { Confirm, FormDialog } from "#app/components/form-dialog.tsx"
import { Loaded } from "#app/components/loaded.tsx"
import { Ago } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Card } from "#app/components/ui/card.tsx"

type Passkey = { id: string; name: string | null; added_at: string | null }

const PASSKEYS = ["passkeys"]

function usePasskeys() {
  return useQuery<Passkey[]>({
    queryKey: PASSKEYS,
    queryFn: async () => {
      const passkeys = await withAuth((auth) => auth.passkey.listUserPasskeys())
      return passkeys.map(({ id, name, createdAt }) => ({
        id,
        name: name || null,
        added_at: createdAt ? new Date(createdAt).toISOString() : null,
      }))
    },
  })
}

/** Passkeys, which sign in without a password. */
export function Passkeys({ onAdded = () => {} }: { onAdded?: () => void }) {
  const query = usePasskeys()
  return (
    <Card
      title="Passkeys"
      description="Sign in with your fingerprint, face or security key."
      actions={<AddPasskey onAdded={onAdded} />}
    >
      <Loaded query={query} what="passkeys" lines={2} className="py-2!">
        {(data) =>
          data.length === 0 ? (
            <p className="text-muted">No passkeys yet.</p>
          ) : (
            <ul aria-label="Passkeys" className="-my-2 divide-y divide-line">
              {data.map((passkey) => (
                <li key={passkey.id} className="flex items-center justify-between gap-3 py-2">
                  <span className="min-w-0">
                    <span className="block font-medium">{passkey.name ?? "Unnamed"}</span>
                    {passkey.added_at && (
                      <span className="text-[13px] text-muted">
                        Added <Ago at={passkey.added_at} />
                      </span>
                    )}
                  </span>
                  <RemovePasskey passkey={passkey} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}

function AddPasskey({ onAdded }: { onAdded: () => void }) {
  const client = useQueryClient()
  return (
    <FormDialog
      trigger={<Button size="sm">Add passkey</Button>}
      title="Add a passkey"
      description="Your browser asks which device to use."
      submit="Add"
      onSubmit={async (values) => {
        const { id } = await withAuth((auth) => auth.passkey.addPasskey())
        // Named after its creation, because an earlier name would replace the user's name in the authenticator.
        await withAuth((auth) => auth.passkey.updatePasskey({ id, name: String(values.get("name")) }))
        await client.invalidateQueries({ queryKey: PASSKEYS })
        onAdded()
      }}
    >
      <TextField
        name="name"
        label="Name"
        hint="The device, such as “Laptop” or “Blue security key”."
        required
        autoComplete="off"
        maxLength={60}
      />
    </FormDialog>
  )
}

function RemovePasskey({ passkey: { id, name } }: { passkey: Passkey }) {
  const client = useQueryClient()
  return (
    <Confirm
      trigger={
        <Button size="sm" aria-label={`Remove ${name ?? "the unnamed passkey"}`}>
          Remove
        </Button>
      }
      title={`Remove ${name ?? "this passkey"}?`}
      description="You can no longer sign in with it. Delete it on the device as well."
      confirm="Remove"
      onConfirm={async () => {
        await withAuth((auth) => auth.passkey.deletePasskey({ id }))
        await client.invalidateQueries({ queryKey: PASSKEYS })
      }}
    />
  )
}
