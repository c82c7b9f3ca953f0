"use client"

import { useMutation } from "#app/(dashboard)/workspace.tsx"
import { Confirm } from "#app/components/confirm.tsx"
import type { Key } from "./columns.tsx"

/** Ends a key for good, after its first characters have been typed. */
export function RevokeKey({ of: { key_id, name, start }, onClose }: { of: Key; onClose: () => void }) {
  const revoke = useMutation((api) => api.key.revoke.mutate({ key_id }), { refresh: ["keys"], quiet: true })
  return (
    <Confirm
      open
      onOpenChange={(open) => open || onClose()}
      title={`Revoke ${name}`}
      description="Requests with this key fail within five seconds. You cannot undo this."
      confirm="Revoke key"
      word={start}
      onConfirm={() => revoke.mutateAsync()}
    />
  )
}
