import { useEffect, useRef } from "react"
import {
  hasEnded,
  kindNames,
  type Operation,
  type TokenView,
  useOperation,
} from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { usePath, useRefresh } from "#app/(dashboard)/workspace.tsx"
import { Link } from "#app/components/link.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { Button, buttonLook } from "#app/components/ui/button.tsx"
import { grouped } from "#shared/amount.ts"
import { OperationSteps } from "./operation-steps.tsx"

type SentProps = {
  token: TokenView
  operation: Operation
  /** Whether the operation had begun before its form was opened. */
  isEarlier?: boolean
  /** A button for another operation of this kind, once this one has ended. */
  again?: { label: string; onAgain: () => void }
}

/** What a form has sent: the operation's progress, or the request if a policy requires other members. */
export const Sent = (props: SentProps) =>
  props.operation.status === "awaiting_approval" ? <Waiting {...props} /> : <Progress {...props} />

/** Shown if the form was filled in again after a lost answer, and the server returned the operation of that time. */
const Earlier = ({ operation: { kind, created_at } }: Pick<SentProps, "operation">) => (
  <p role="status" className="rounded-lg bg-notice-soft px-3 py-2.5 text-sm">
    No answer arrived when you sent this before. This is that {kindNames[kind].toLowerCase()}, of{" "}
    <Timestamp at={created_at} />. Nothing new was done.
  </p>
)

function Waiting({ token, operation, isEarlier = false }: SentProps) {
  const { kind, amount, approval_id } = operation
  const path = usePath()
  const heading = useRef<HTMLHeadingElement>(null)
  // The form that had the focus is gone.
  useEffect(() => heading.current?.focus(), [])
  return (
    <div className="space-y-5">
      <h3 ref={heading} tabIndex={-1} className="font-semibold">
        {kindNames[kind]} of {grouped(amount)} {token.symbol}
      </h3>
      {isEarlier && <Earlier operation={operation} />}
      <p>A policy requires other members to approve this. Nothing has happened yet.</p>
      <Link href={path("approvals", approval_id ?? "")} prefetch={false} className={buttonLook()}>
        Open the request
      </Link>
    </div>
  )
}

function Progress({ token, operation, isEarlier = false, again }: SentProps) {
  const path = usePath()
  const refresh = useRefresh()
  const { data } = useOperation(operation.operation_id)
  const heading = useRef<HTMLHeadingElement>(null)
  const current = data?.operation ?? operation
  const ended = hasEnded(current)
  // The form that had the focus is gone.
  useEffect(() => heading.current?.focus(), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it ends
  useEffect(() => {
    if (ended) void refresh()
  }, [ended])

  return (
    <div className="space-y-5">
      <h3 ref={heading} tabIndex={-1} className="font-semibold">
        {kindNames[operation.kind]} of {grouped(operation.amount)} {token.symbol}
      </h3>
      {isEarlier && <Earlier operation={operation} />}
      <OperationSteps operation={current} detail={data} />
      <div className="flex flex-wrap gap-2">
        <Link
          href={path("tokens", token.id, "operations", operation.operation_id)}
          prefetch={false}
          className={buttonLook()}
        >
          Open the operation
        </Link>
        {ended && again && <Button onClick={again.onAgain}>{again.label}</Button>}
      </div>
    </div>
  )
}
