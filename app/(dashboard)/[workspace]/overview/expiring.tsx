import { To } from "#app/(dashboard)/to.tsx"
import type { RouterOutputs } from "#app/api.ts"
import { Card } from "#app/components/ui/card.tsx"

type Expiring = RouterOutputs["overview"]["get"]["expiring"]

const count = new Intl.NumberFormat("en-GB")

/** Verifications that expire soon, and whether their investors get a reminder. Shows nothing if none expire. */
export function ExpiringSoon({ expiring: { days_7, days_30, reminders } }: { expiring: Expiring }) {
  if (days_30.count === 0) return null
  const said = ({ count: counted, more }: Expiring["days_7"]) => (more ? "more than " : "") + count.format(counted)
  return (
    <Card title="Expiring soon" description="Verified wallets by the end of their verification">
      <ul className="flex flex-wrap gap-x-8 gap-y-2">
        {(
          [
            [7, days_7],
            [30, days_30],
          ] as const
        ).map(([days, one]) => (
          <li key={days}>
            <To path={["attestations"]} query={`?expiring=${days}`} className="text-accent hover:underline">
              {said(one)} within {days} days
            </To>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-[13px] text-muted">
        {!reminders.on ? (
          <>
            Investors are not reminded.{" "}
            <To
              path={["settings"]}
              query="?part=workspace"
              className="rounded-sm text-accent underline underline-offset-2"
            >
              Renewal reminders
            </To>{" "}
            are off.
          </>
        ) : reminders.mail ? (
          "Investors who left an email address are reminded."
        ) : (
          "Reminders are on, but this server cannot send email, so nothing is sent."
        )}
      </p>
    </Card>
  )
}
