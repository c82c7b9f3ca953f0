import type { Mail } from "#domain/people"
import { linkless } from "#server/lib/linkless.ts"
import { approvalActions, type RequestedAction } from "#shared/approvals.ts"
import { countOf, hoursOf } from "#shared/counts.ts"
import type { Mode } from "#shared/mode.ts"
import type { NotificationKind } from "#shared/notifications.ts"
import { disabledAfterDays } from "#shared/webhooks.ts"

/** The data of each kind of mail, with times as Postgres writes them in JSON. */
type MailFacts = {
  webhook_endpoints:
    | { endpoint_id: string; host: string; state: "failing"; since: string }
    | {
        endpoint_id: string
        host: string
        state: "disabled"
        reason: "gone" | "failing"
        since: string | null
      }
  low_sol: { address: string; sol: number; hours_left: number | null }
  differences: { differences: number; unexplained: number; compared_at: string | null }
  quota: { percent: number; used: number; included: number }
  review_waiting: { count: number; oldest: string }
  approval_waiting: { approval_id: string; action: RequestedAction; mint_config: string | null; expires_at: string }
}
export type Notification = { [Kind in NotificationKind]: { kind: Kind; data: MailFacts[Kind] } }[NotificationKind]

type Reader = {
  company: string
  mode: Mode
  /** The recipients' time zone; null for UTC. */
  timeZone: string | null
  /** The workspace in the dashboard. */
  url: string
}
/** The problem, its consequence, and the page where to act on it, below the workspace's. */
type Text = { subject: string; text: string; page: string }
type Time = (time: string) => string

const texts: { [Kind in NotificationKind]: (facts: MailFacts[Kind], time: Time) => Text } = {
  webhook_endpoints: (facts, time) => {
    const page = `webhooks/${facts.endpoint_id}`
    if (facts.state === "failing")
      return {
        subject: `The webhook endpoint ${facts.host} has been failing for a day`,
        text: `Every delivery to the webhook endpoint ${facts.host} has failed since ${time(facts.since)}.

Vouch keeps retrying, and disables the endpoint after ${disabledAfterDays} days without a success. See what the endpoint answered:`,
        page,
      }
    const why =
      facts.reason === "gone"
        ? "it answered 410 Gone, which asks for no more events"
        : `every delivery has failed${facts.since === null ? ` for ${disabledAfterDays} days` : ` since ${time(facts.since)}`}`
    return {
      subject: `The webhook endpoint ${facts.host} is disabled`,
      text: `The webhook endpoint ${facts.host} no longer gets events: ${why}.

Events are kept for 90 days. Fix the endpoint, enable it, and replay what it missed:`,
      page,
    }
  },
  low_sol: ({ address, sol, hours_left }) => ({
    subject: `A fee payer is low on SOL: ${sol} SOL left`,
    text: `The fee payer ${address} has ${sol} SOL${
      hours_left === null ? "" : `, which lasts about ${hoursOf(hours_left)} at the rate of the last hour`
    }.

Send SOL to this address. Without SOL, Vouch cannot issue or mint, and accepted requests wait until it arrives:`,
    page: "overview",
  }),
  differences: ({ differences, unexplained, compared_at }, time) => ({
    subject: "The chain and the database disagree",
    text: `${[
      differences > 0 &&
        compared_at !== null &&
        `The comparison of ${time(compared_at)} found ${countOf(differences, "difference")} between the chain and the database.`,
      unexplained > 0 &&
        `${countOf(unexplained, "transaction")} on chain could not be explained after a restore. Vouch signs nothing for this workspace until a person decides.`,
    ]
      .filter(Boolean)
      .join("\n\n")}

${
  unexplained > 0
    ? "The server's operator can list them and decide with “vouch ledger reconcile”."
    : "The server's operator can list them with “vouch ledger audit”."
} Open the workspace:`,
    page: "overview",
  }),
  quota: ({ percent, used, included }) => ({
    subject: percent >= 100 ? "This month’s quota is used up" : `${percent} % of this month’s quota is used`,
    text: `${used} of ${included} attestations in your plan are used this month.

${percent >= 100 ? "New verifications are refused until the month ends or the plan changes." : "When all are used, new verifications are refused until the month ends."} See your usage:`,
    page: "overview",
  }),
  review_waiting: ({ count: waiting, oldest }, time) => ({
    subject: waiting === 1 ? "A review waits for you" : `${waiting} reviews wait for you`,
    text: `${
      waiting === 1
        ? `A review has waited for a decision since ${time(oldest)}.`
        : `${waiting} reviews wait for a decision, the oldest since ${time(oldest)}.`
    }

The investors cannot continue until then:`,
    page: "reviews",
  }),
  approval_waiting: ({ approval_id, action, mint_config, expires_at }, time) => ({
    subject: `A request needs your approval: ${approvalActions[action]}`,
    text: `You can approve this request: ${approvalActions[action]}${mint_config === null ? "" : `, token ${mint_config}`}.

It expires on ${time(expires_at)}. See what was requested, and approve or reject it:`,
    page: `approvals/${approval_id}`,
  }),
}

/** The mail for a member. It contains no investor names and no secrets, because others may read the mail, too. */
export function notificationMail(
  { kind, data }: Notification,
  { company: name, mode, timeZone, url }: Reader,
): Omit<Mail, "to"> {
  const company = linkless(name)
  const zone = timeZone ?? "UTC"
  const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: zone })
  const time: Time = (at) => `${format.format(new Date(at))} (${zone.replaceAll("_", " ")})`
  const of = texts[kind] as (facts: Notification["data"], time: Time) => Text
  const { subject, text, page } = of(data, time)
  return {
    subject: `${mode === "test" ? "[Test] " : ""}${company}: ${subject}`,
    text: `${text}
${url}/${page}

You get this email as a member of ${company} (${mode} mode). Choose which emails you get:
${url}/settings?part=account
`,
  }
}
