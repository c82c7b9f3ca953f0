import { useRouter } from "next/navigation.js"
import { useState } from "react"
import { newKey } from "#app/(dashboard)/[workspace]/tokens/idempotency-key.ts"
import { useMutation, usePath, useRefresh } from "#app/(dashboard)/workspace.tsx"
import { SelectField } from "#app/components/form.tsx"
import { Confirm, FormDialog } from "#app/components/form-dialog.tsx"
import { isUnanswered, Refused } from "#app/components/problem.ts"
import { notify } from "#app/components/toast.ts"
import type { Endpoint } from "../endpoint.tsx"
import { EndpointForm } from "../endpoint-form.tsx"
import { ReplayAfter } from "../replay.tsx"

export type Doing = "change" | "rotate" | "replay" | "disable" | "delete"

/** The dialog of an act on an endpoint. */
export function EndpointDialog({ of, doing, onClose }: { of: Endpoint; doing: Doing; onClose: () => void }) {
  const props = { id: of.endpoint_id, onClose }
  if (doing === "change") return <EndpointForm of={of} onClose={onClose} />
  if (doing === "rotate") return <Rotate {...props} />
  if (doing === "replay") return <ReplayAfter {...props} />
  if (doing === "disable") return <Disable {...props} />
  return <Delete {...props} />
}

type ActProps = { id: string; onClose: () => void }

function Disable({ id, onClose }: ActProps) {
  const disable = useMutation((api) => api.webhook.change.mutate({ id, enabled: false }))
  return (
    <Confirm
      onClose={onClose}
      title="Disable this endpoint?"
      description="Nothing is sent to it until you enable it again. Events it missed are then delivered, if they are still kept."
      confirm="Disable"
      danger={false}
      onConfirm={() => disable.mutateAsync()}
    />
  )
}

function Delete({ id, onClose }: ActProps) {
  const router = useRouter()
  const path = usePath()
  const refresh = useRefresh()
  // This page must not read the deleted endpoint again.
  const remove = useMutation((api) => api.webhook.remove.mutate({ id }), { refresh: false })
  return (
    <Confirm
      onClose={onClose}
      title="Delete this endpoint?"
      description="Waiting events are no longer sent to it, and the history of its deliveries is deleted. You cannot undo this."
      confirm="Delete endpoint"
      onConfirm={async () => {
        await remove.mutateAsync()
        void refresh("webhook", "list")
        router.push(path("webhooks"))
      }}
    />
  )
}

const overlaps = [
  [24 * 3600, "For 24 hours"],
  [3600, "For one hour"],
  [7 * 24 * 3600, "For 7 days"],
  [0, "No longer"],
] as const

function Rotate({ id, onClose }: ActProps) {
  // A second rotation would end the secret that the system at the endpoint has.
  const [idempotencyKey] = useState(newKey)
  /** The choice that got no answer. A key is good for one choice, so only this one can be sent again. */
  const [unanswered, setUnanswered] = useState<number | null>(null)
  const rotate = useMutation((api, overlap_seconds: number) =>
    api.webhook.rotateSecret.mutate({ id, overlap_seconds }, { context: { idempotencyKey } }),
  )
  return (
    <FormDialog
      onClose={onClose}
      title="Rotate the secret"
      description="Creates a new secret. While the old one is valid, events carry a signature from each."
      className="max-w-md!"
      submit="Rotate secret"
      onSubmit={async (values) => {
        const chosen = Number(values.get("overlap_seconds"))
        try {
          await rotate.mutateAsync(chosen)
        } catch (error) {
          if (!isUnanswered(error)) throw error
          setUnanswered(chosen)
          throw new Refused(MAY_BE_ROTATED)
        }
        notify("The endpoint has a new secret", "Show it, and put it in your system.")
      }}
    >
      <SelectField
        label="The old secret signs"
        name="overlap_seconds"
        options={overlaps.filter(([seconds]) => unanswered === null || unanswered === seconds)}
      />
    </FormDialog>
  )
}

const MAY_BE_ROTATED =
  "No answer arrived, so the endpoint may have a new secret. Send it again to be sure: it is never rotated twice."
