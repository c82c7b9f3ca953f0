import { signOut } from "#app/(dashboard)/session.ts"
import { useApi, useMutation, useQuery } from "#app/(dashboard)/workspace.tsx"
import { Confirm } from "#app/components/form-dialog.tsx"
import { Loaded } from "#app/components/loaded.tsx"
import { Ago, Timestamp } from "#app/components/timestamp.tsx"
import { Badge } from "#app/components/ui/badge.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Card } from "#app/components/ui/card.tsx"
import { deviceOf } from "./device.ts"

/** The browsers where the member is signed in. */
export function SignIns({ className }: { className?: string }) {
  const api = useApi()
  const query = useQuery("me.signIns")
  return (
    <Card
      {...(className && { className })}
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
