import { useMutation, useQuery } from "#app/(dashboard)/workspace.tsx"
import { FieldGroup, Form, Submit } from "#app/components/form.tsx"
import { Loaded } from "#app/components/loaded.tsx"
import { notify } from "#app/components/toast.ts"
import { Card } from "#app/components/ui/card.tsx"
import { Checkbox } from "#app/components/ui/checkbox.tsx"
import type { NotificationSettings } from "#domain/notifications"
import { type NotificationKind, notifications } from "#shared/notifications.ts"

/** Which emails the member gets about this account. */
export function Notifications() {
  const { data, error, refetch } = useQuery("member.notifications")
  return (
    <Card title="Email notifications" description={`Emails you get as a member${data ? ` of ${data.account}` : ""}.`}>
      <Loaded query={{ data, error, refetch }} what="your notifications" lines={5}>
        {(data) => <Choices {...data} />}
      </Loaded>
    </Card>
  )
}

function Choices({ kinds, email_confirmed }: NotificationSettings) {
  const mute = useMutation((api, muted: NotificationKind[]) => api.member.muteNotifications.mutate({ muted }))
  if (kinds.length === 0) return <p className="text-muted">Your role gets no emails.</p>
  return (
    <Form
      onSubmit={async (values) => {
        const on = new Set(values.getAll("on"))
        await mute.mutateAsync(kinds.flatMap(({ kind }) => (on.has(kind) ? [] : kind)))
        notify("Notifications saved")
      }}
    >
      {email_confirmed !== true && (
        <p className="text-notice">
          {email_confirmed === null
            ? "This server cannot send email, so nothing is sent. Ask its administrator to set VOUCH_SMTP_URL."
            : "Your email is not confirmed, so nothing is sent. Confirm it under You."}
        </p>
      )}
      <FieldGroup legend="Email me about" name="muted">
        <div className="grid gap-2">
          {kinds.map(({ kind, on }) => (
            <Checkbox
              // A refetch after saving shows the saved values.
              key={`${kind} ${on}`}
              name="on"
              value={kind}
              defaultChecked={on}
              hint={notifications[kind].summary}
            >
              {notifications[kind].name}
            </Checkbox>
          ))}
        </div>
      </FieldGroup>
      <Submit variant="outline">Save notifications</Submit>
    </Form>
  )
}
