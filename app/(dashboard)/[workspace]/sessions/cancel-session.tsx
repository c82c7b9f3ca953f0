import { useMutation } from "#app/(dashboard)/workspace.tsx"
import { Confirm } from "#app/components/confirm.tsx"
import { Field } from "#app/components/form.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Textarea } from "#app/components/ui/input.tsx"

/** Cancels a session that has no decision yet. */
export function CancelSession({ sessionId, wallet }: { sessionId: string; wallet: string }) {
  const cancel = useMutation((api, reason: string) =>
    api.session.cancel.mutate({ id: sessionId, ...(reason !== "" && { reason }) }),
  )
  return (
    <Confirm
      trigger={
        <Button size="sm" variant="ghost">
          Cancel
          <span className="sr-only"> the session of {wallet}</span>
        </Button>
      }
      title="Cancel this session?"
      description="Its link stops working, and the page tells the investor that you ended it. It no longer counts against your quota."
      confirm="Cancel session"
      dismiss="Keep session"
      onConfirm={(values) => cancel.mutateAsync(String(values.get("reason")).trim())}
    >
      <Field
        label="Internal reason"
        name="reason"
        hint="Visible to your team and your API keys only, never to the investor."
      >
        <Textarea maxLength={500} rows={2} />
      </Field>
    </Confirm>
  )
}
