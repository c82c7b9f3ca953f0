import { useQuery as useOwnQuery, useQueryClient } from "@tanstack/react-query"
import { withAuth } from "#app/(access)/with-auth.ts"
import { signOut } from "#app/(dashboard)/session.ts"
import { useApi, useMutation, useQuery } from "#app/(dashboard)/workspace.tsx"
import { Badge } from "#app/components/badge.tsx"
import { TextField } from "#app/components/form.tsx"
import { Confirm, FormDialog } from "#app/components/form-dialog.tsx"
import { Card, Loaded } from "#app/components/frame.tsx"
import { Ago, Timestamp } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { deviceOf } from "./device.ts"

type Passkey = { id: string; name: string | null; added_at: string | null }

const PASSKEYS = ["passkeys"]

function usePasskeys() {
  return useOwnQuery<Passkey[]>({
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
export function Passkeys() {
  const query = usePasskeys()
  return (
    <Card title="Passkeys" description="Sign in with your fingerprint, face or security key." actions={<AddPasskey />}>
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

function AddPasskey() {
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
        void client.invalidateQueries({ queryKey: ["me"] })
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
        void client.invalidateQueries({ queryKey: ["me"] })
      }}
    />
  )
}

export function SignIns() {
  const api = useApi()
  const query = useQuery("me.signIns")
  return (
    <Card
      title="Where you are signed in"
      actions={
        <Confirm
          trigger={<Button size="sm">Sign out everywhere</Button>}
          title="Sign out everywhere?"
          description="Every browser is signed out at once, including this one."
          confirm="Sign out everywhere"
          onConfirm={async () => {
            await api.me.endAllSignIns.mutate()
            await signOut()
          }}
        />
      }
    >
      <Loaded query={query} what="your sessions" lines={3} className="py-2!">
        {(data) => (
          <ul aria-label="Where you are signed in" className="-my-2 divide-y divide-line">
            {data.data.map((one) => {
              const device = deviceOf(one.user_agent)
              return (
                <li key={one.id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2.5">
                  <span className="min-w-0">
                    <span className="flex flex-wrap items-center gap-2 font-medium">
                      {device}
                      {one.current && <Badge tone="good">This browser</Badge>}
                    </span>
                    <span className="block text-[13px] text-muted">
                      {one.ip_address && `${one.ip_address} · `}
                      {one.current ? (
                        "active now"
                      ) : (
                        <>
                          active <Ago at={one.last_active_at} />
                        </>
                      )}{" "}
                      · since <Timestamp at={one.signed_in_at} />
                    </span>
                  </span>
                  {!one.current && <SignOut id={one.id} device={device} />}
                </li>
              )
            })}
          </ul>
        )}
      </Loaded>
    </Card>
  )
}

function SignOut({ id, device }: { id: string; device: string }) {
  const end = useMutation((api) => api.me.endSignIn.mutate({ id }))
  return (
    <Button size="sm" aria-label={`Sign out ${device}`} pending={end.isPending} onClick={() => end.mutate()}>
      Sign out
    </Button>
  )
}
