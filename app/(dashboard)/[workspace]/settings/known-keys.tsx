import { useState } from "react"
import { useMutation, useRefresh } from "#app/(dashboard)/workspace.tsx"
import { createApi } from "#app/api.ts"
import { Badge } from "#app/components/badge.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Dialog, DialogFooter, DismissButton } from "#app/components/ui/dialog.tsx"
import type { Leftovers } from "#domain/people"

/** A member who was removed or demoted. */
export type Less = Leftovers & { member: { user_id: string; name: string } }

/** The active keys whose secrets that member saw, to revoke one by one or all at once. */
export function KnownKeys({ member, keys, onClose }: Less & { onClose: () => void }) {
  const [revoked, setRevoked] = useState<ReadonlySet<string>>(new Set())
  const refresh = useRefresh()
  const revoke = useMutation(
    // A key may belong to the other workspace.
    (_api, { key_id, workspace_id }: Less["keys"][number]) =>
      createApi({ "x-vouch-workspace": workspace_id }).key.revoke.mutate({ key_id }),
  )
  const revokeAll = useMutation((api) => api.member.revokeKeys.mutate({ user_id: member.user_id }))
  const left = keys.filter(({ key_id }) => !revoked.has(key_id))
  const note = (...ids: string[]) => {
    setRevoked((before) => new Set([...before, ...ids]))
    void refresh()
  }
  return (
    <Dialog
      onClose={onClose}
      title={`API keys ${member.name} knows`}
      description={`${member.name} created or rotated these keys and saw their secrets. They keep working until you revoke them. Give your servers new keys first.`}
    >
      <ul aria-label="API keys" className="mt-4 divide-y divide-line border-y border-line">
        {keys.map((key) => (
          <li key={key.key_id} className="flex items-center justify-between gap-3 py-2.5">
            <div className="min-w-0">
              <span className="font-medium">{key.name}</span>{" "}
              <Badge tone={key.mode === "live" ? "good" : "notice"}>{key.mode === "live" ? "Live" : "Test"}</Badge>
              <code className="block font-mono text-xs text-muted">{key.start}…</code>
            </div>
            {revoked.has(key.key_id) ? (
              <span className="text-muted">Revoked</span>
            ) : (
              <Button
                size="sm"
                variant="danger"
                aria-label={`Revoke ${key.name} (${key.mode})`}
                pending={revoke.isPending && revoke.variables.key_id === key.key_id}
                onClick={() => revoke.mutate(key, () => note(key.key_id))}
              >
                Revoke
              </Button>
            )}
          </li>
        ))}
      </ul>
      <DialogFooter>
        <DismissButton>{left.length === 0 ? "Done" : "Keep the rest"}</DismissButton>
        {left.length > 1 && (
          <Button
            variant="danger"
            pending={revokeAll.isPending}
            onClick={() => revokeAll.mutate(undefined, () => note(...keys.map(({ key_id }) => key_id)))}
          >
            Revoke all {left.length}
          </Button>
        )}
      </DialogFooter>
    </Dialog>
  )
}
