import { useEffect, useId, useState } from "react"
import { withAuth } from "#app/(access)/with-auth.ts"
import { useMe, useMutation, usePath } from "#app/(dashboard)/workspace.tsx"
import { FormError, TextareaField, TextField } from "#app/components/form.tsx"
import { Confirm } from "#app/components/form-dialog.tsx"
import { Link } from "#app/components/link.tsx"
import { type Problem, problemOf } from "#app/components/problem.ts"
import { notify } from "#app/components/toast.ts"
import { Button } from "#app/components/ui/button.tsx"
import { FRESH_MINUTES } from "#shared/approvals.ts"
import type { ApprovalDetail } from "../summary.ts"

type DecisionProps = {
  approval: ApprovalDetail
  /** Whether a dialog is open. It stays, with what is written in it, if the request ends in the meantime. */
  isDeciding: boolean
  onDeciding: (isDeciding: boolean) => void
}

/** What a member can do with a request that waits. */
export function Decision({ approval, isDeciding, onDeciding }: DecisionProps) {
  const { approval_id, digest, can_approve, has_approved, is_own, needed, given } = approval
  const approve = useMutation((api) => api.approval.approve.mutate({ approval_id, digest }))
  const reject = useMutation((api, reason: string) => api.approval.reject.mutate({ approval_id, digest, reason }))
  const withdraw = useMutation((api) => api.approval.withdraw.mutate({ id: approval_id }))
  const { data: me } = useMe()
  const path = usePath()
  const hintId = useId()
  const missing = needed - given.length
  if (!isDeciding && is_own)
    return (
      <>
        <p className="mb-3">
          You made this request, directly or with a key that you know. Another member must approve it.
        </p>
        <Button pending={withdraw.isPending} onClick={() => withdraw.mutate()}>
          Withdraw
        </Button>
      </>
    )
  if (!isDeciding && !can_approve)
    return (
      <p>
        {has_approved && "You have approved it. "}
        {missing === 1 ? "One more member" : `${missing} more members`} must approve it.
        {!has_approved &&
          " You cannot: your role does not include it, your email address is not confirmed, or another reviewer has yet to confirm you under Settings."}
      </p>
    )
  if (!isDeciding && me && !me.user.has_second_factor)
    return (
      <>
        <div className="flex flex-wrap gap-2">
          <Button variant="primary" disabled aria-describedby={hintId}>
            Approve
          </Button>
          <Button variant="outline" disabled aria-describedby={hintId}>
            Reject
          </Button>
        </div>
        <p id={hintId} className="mt-3">
          To decide, you need a passkey or an authenticator app.{" "}
          <Link
            href={`${path("settings")}?part=account`}
            prefetch={false}
            className="text-accent underline underline-offset-2"
          >
            Set up a second factor
          </Link>
        </p>
      </>
    )
  return (
    <div className="flex flex-wrap gap-2">
      <Confirm
        trigger={<Button variant="primary">Approve</Button>}
        title="Approve this request?"
        description={
          missing === 1
            ? "It takes effect at once, if the rules still allow it."
            : `It takes effect once ${missing - 1} more of your members approve it.`
        }
        confirm="Approve"
        danger={false}
        onConfirm={async (values) => {
          await proveWith(values)
          const { state, outcome } = await approve.mutateAsync()
          notify(
            outcome?.error ? "Approved, but a rule refused it" : state === "approved" ? "Approved" : "Approval given",
          )
        }}
      >
        <WhileOpen set={onDeciding} />
        <SecondFactor />
      </Confirm>
      <Confirm
        trigger={<Button variant="outline">Reject</Button>}
        title="Reject this request?"
        description="It ends, and nothing happens."
        confirm="Reject"
        onConfirm={async (values) => {
          await proveWith(values)
          await reject.mutateAsync(String(values.get("reason")))
          notify("Rejected")
        }}
      >
        <WhileOpen set={onDeciding} />
        <TextareaField
          name="reason"
          label="Reason"
          hint="The requester and their API key can read it. No personal data: it is kept."
          required
          maxLength={500}
        />
        <SecondFactor />
      </Confirm>
    </div>
  )
}

function WhileOpen({ set }: { set: (isOpen: boolean) => void }) {
  useEffect(() => {
    set(true)
    return () => set(false)
  }, [set])
  return null
}

/** Checks the code that was entered, if one was: the server then counts this session as fresh. */
async function proveWith(values: FormData): Promise<void> {
  const code = String(values.get("code") ?? "").replaceAll(/\s/g, "")
  if (code !== "") await withAuth((auth) => auth.twoFactor.verifyTotp({ code }))
}

/** Asks for the second factor again. A decision needs one that was just used. */
function SecondFactor() {
  const [isProven, setProven] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  return (
    <div className="space-y-3">
      <TextField
        name="code"
        label="Code"
        hint={`The six-digit code for Vouch in your authenticator app. Leave it empty if you used your second factor in the last ${FRESH_MINUTES} minutes.`}
        inputMode="numeric"
        autoComplete="one-time-code"
        className="font-mono tracking-widest"
      />
      <Button
        size="sm"
        onClick={() =>
          void withAuth((auth) => auth.signIn.passkey()).then(
            () => setProven(true),
            (error) => setProblem(problemOf(error)),
          )
        }
      >
        {isProven ? "Passkey accepted" : "Use a passkey instead"}
      </Button>
      {problem && <FormError problem={problem} />}
    </div>
  )
}
