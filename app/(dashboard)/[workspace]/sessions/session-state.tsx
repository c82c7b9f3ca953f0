import { Badge, StatusBadge } from "#app/components/badge.tsx"
import { Ago } from "#app/components/timestamp.tsx"
import { lastStepOf, type Session, waitOf } from "./progress.ts"

const isOpen = ({ status, state }: Session): boolean => status === "pending" && state !== "cancelled"

/** What an open session waits for, or how a closed one ended. */
export function SessionState({ session }: { session: Session }) {
  const wait = waitOf(session)
  if (isOpen(session)) return <Badge tone={wait.tone}>{wait.words}</Badge>
  return session.state === "cancelled" ? <Badge>Cancelled</Badge> : <StatusBadge status={session.status} />
}

/** Whether the result does not say enough about what the investor did. */
export const showsStep = (session: Session): boolean =>
  isOpen(session) || session.state === "expired" || session.state === "cancelled"

/** What the investor did last. */
export function LastStep({ session }: { session: Session }) {
  const { words, at } = lastStepOf(session)
  return (
    <>
      {words}
      {isOpen(session) && at && (
        <>
          {" "}
          <Ago at={at} />
        </>
      )}
    </>
  )
}
