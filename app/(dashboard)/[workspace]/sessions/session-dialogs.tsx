import { lazy, Suspense, useState } from "react"
import { useMutation } from "#app/(dashboard)/workspace.tsx"
import { TextareaField } from "#app/components/form.tsx"
import { Confirm } from "#app/components/form-dialog.tsx"
import type { Session } from "./progress.ts"
import type { Link } from "./start-session.tsx"

// Loaded when a member starts a session or opens its link.
const StartSession = lazy(async () => ({ default: (await import("./start-session.tsx")).StartSession }))
const SessionLink = lazy(async () => ({ default: (await import("./start-session.tsx")).SessionLink }))

export type Doing = { what: "link" | "cancel" | "again"; session: Session }

/** The dialog of what a member does with a session, and of the link of a new one. */
export function SessionDialogs({ doing, onClose }: { doing: Doing | null; onClose: () => void }) {
  const [started, setStarted] = useState<Link | null>(null)
  const session = doing?.session
  return (
    <Suspense>
      {doing?.what === "link" && session?.session_url && (
        <SessionLink
          link={{ url: session.session_url, wallet: session.user_pubkey, until: session.open_until }}
          onClose={onClose}
        />
      )}
      {doing?.what === "again" && session && (
        <StartSession
          wallet={session.user_pubkey}
          schema={session.schema}
          externalId={session.external_id}
          onClose={onClose}
          onStarted={setStarted}
        />
      )}
      {doing?.what === "cancel" && session && <CancelSession session={session} onClose={onClose} />}
      {started && <SessionLink link={started} onClose={() => setStarted(null)} />}
    </Suspense>
  )
}

/** Cancels a session that has no decision yet. */
function CancelSession({ session: { session_id }, onClose }: { session: Session; onClose: () => void }) {
  const cancel = useMutation((api, reason: string) =>
    api.session.cancel.mutate({ id: session_id!, ...(reason !== "" && { reason }) }),
  )
  return (
    <Confirm
      onClose={onClose}
      title="Cancel this session?"
      description="Its link stops working, and the page tells the investor that you ended it. It no longer counts against your quota."
      confirm="Cancel session"
      dismiss="Keep session"
      onConfirm={(values) => cancel.mutateAsync(String(values.get("reason")).trim())}
    >
      <TextareaField
        label="Internal reason"
        name="reason"
        hint="Visible to your team and your API keys only, never to the investor."
        maxLength={500}
        rows={2}
      />
    </Confirm>
  )
}
