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
import { Button, buttonLook } from "#app/components/ui/button.tsx"
import { grouped } from "#shared/amount.ts"
import { OperationSteps } from "./operation-steps.tsx"

type SentProps = {
  token: TokenView
  operation: Operation
  /** A button for another operation of this kind, once this one has ended. */
  again?: { label: string; onAgain: () => void }
}

/** What a form has sent: the operation's progress, or the request if a policy requires other members. */
export const Sent = (props: SentProps) =>
  props.operation.status === "awaiting_approval" ? <Waiting {...props} /> : <Progress {...props} />

function Waiting({ token, operation: { kind, amount, approval_id } }: SentProps) {
  const path = usePath()
  const heading = useRef<HTMLHeadingElement>(null)
  // The form that had the focus is gone.
  useEffect(() => heading.current?.focus(), [])
  return (
    <div className="space-y-5">
      <h3 ref={heading} tabIndex={-1} className="font-semibold">
        {kindNames[kind]} of {grouped(amount)} {token.symbol}
      </h3>
      <p>A policy requires other members to approve this. Nothing has happened yet.</p>
      <Link href={path("approvals", approval_id ?? "")} prefetch={false} className={buttonLook()}>
        Open the request
      </Link>
    </div>
  )
}

function Progress({ token, operation, again }: SentProps) {
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
