import { useMutation } from "#app/(dashboard)/workspace.tsx"
import { TextareaField } from "#app/components/form.tsx"
import { Confirm } from "#app/components/form-dialog.tsx"
import { Button } from "#app/components/ui/button.tsx"

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
