import { useMutation, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Confirm } from "#app/components/form-dialog.tsx"
import { Loaded } from "#app/components/loaded.tsx"
import { Badge } from "#app/components/ui/badge.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Card } from "#app/components/ui/card.tsx"

/** Turns reminders to investors before a verification expires on or off. */
export function Reminders() {
  const { can } = useWorkspace()
  const query = useQuery("workspace.reminders")
  const set = useMutation((api, on: boolean) => api.workspace.setReminders.mutate({ on }))
  return (
    <Card
      title="Renewal reminders"
      description="Investors who leave an email address get a link to renew before their verification expires. Each schema sets how many days before."
    >
      <Loaded query={query} what="the reminders" lines={2}>
        {(data) => (
          <div className="space-y-4">
            <p className="flex flex-wrap items-center gap-2">
              <Badge tone={data.on ? "good" : "plain"}>{data.on ? "On" : "Off"}</Badge>
              {!data.mail && (
                <span className="text-notice">
                  This server cannot send email, so nothing is sent. Ask its administrator to set VOUCH_SMTP_URL.
                </span>
              )}
            </p>
            {can("schema:write") &&
              (data.on ? (
                <Confirm
                  trigger={<Button>Turn off</Button>}
                  title="Turn off renewal reminders?"
                  description="Nothing more is sent, and the email addresses that investors left are deleted. You cannot get them back."
                  confirm="Turn off"
                  onConfirm={() => set.mutateAsync(false)}
                />
              ) : (
                <Button pending={set.isPending} onClick={() => set.mutate(true)}>
                  Turn on
                </Button>
              ))}
          </div>
        )}
      </Loaded>
    </Card>
  )
}
