import type { RouterOutputs } from "#app/(dashboard)/workspace.tsx"
import { Copyable } from "#app/components/code.tsx"
import { Card, Facts } from "#app/components/frame.tsx"
import { Ago } from "#app/components/timestamp.tsx"

export type Attestation = RouterOutputs["attestation"]["detail"]
export type SessionDetail = RouterOutputs["session"]["view"]

/** The session while it can be used or cancelled. Each of the two may have been read before the other changed. */
export const openSessionOf = (
  { status }: Attestation,
  session: SessionDetail | undefined,
): SessionDetail | undefined =>
  status === "pending" && session?.status === "pending" && session.open_until !== null ? session : undefined

/** How the investor gets to an open session, and until when. */
export const SessionCard = ({
  session: { open_until, session_id, redirect_url, provider },
}: {
  session: SessionDetail
}) => (
  <Card title="Session">
    <Facts
      facts={{
        "Link expires": <Ago at={open_until} />,
        Provider: provider,
        "Redirect URL": redirect_url && <span className="wrap-anywhere">{redirect_url}</span>,
        "Session id": session_id && <Copyable value={session_id} what="session id" compact />,
      }}
    />
  </Card>
)
