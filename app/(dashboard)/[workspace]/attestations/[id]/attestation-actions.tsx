import { useEffect } from "react"
import { openLinkOf } from "#app/(dashboard)/[workspace]/sessions/progress.ts"
import { SessionActions } from "#app/(dashboard)/[workspace]/sessions/session-actions.tsx"
import type { Doing } from "#app/(dashboard)/[workspace]/sessions/session-dialogs.tsx"
import { useFormInAddress } from "#app/(dashboard)/use-form-in-address.ts"
import { useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { RevokeButton } from "../revoke-button.tsx"
import { type Attestation, openSessionOf, type SessionDetail } from "./session-card.tsx"

type AttestationActionsProps = {
  attestation: Attestation
  session: SessionDetail | undefined
  act: (doing: Doing) => void
}

/** What a member can do: act on the open session, revoke the verification, or start another session. */
export function AttestationActions({ attestation, session, act }: AttestationActionsProps) {
  const { can } = useWorkspace()
  const { status, timeline } = attestation
  const { isOpen: isAsked, setOpen: setAsked } = useFormInAddress("revoke")
  const open = openSessionOf(attestation, session)
  const isCancellable = open !== undefined && openLinkOf(open) !== null
  // The search's action to revoke ends an open session, which has nothing to revoke.
  useEffect(() => {
    if (!isAsked || !isCancellable) return
    act({ what: "cancel", session: open })
    setAsked(false)
  })
  if (isCancellable) return <SessionActions session={open} act={act} />
  if (status === "pending" || status === "verified") {
    if (!can("attestation:write")) return null
    return <RevokeButton of={attestation} opens={isAsked} onClose={() => setAsked(false)} />
  }
  const isReplaced = timeline.some(({ event }) => event === "superseded")
  if (session === undefined || status === "revoked" || isReplaced || !can("kyc:write")) return null
  return (
    <Button variant="primary" onClick={() => act({ what: "again", session })}>
      Start a new session
    </Button>
  )
}
