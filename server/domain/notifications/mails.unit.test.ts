import { expect, test } from "vitest"
import { type Notification, notificationMail } from "./mails.ts"

const reader = {
  company: "Acme",
  mode: "live" as const,
  timeZone: null,
  url: "https://vouch.example/ws_1",
}
const since = "2026-11-03T09:30:00+00:00"
const failing: Notification = {
  kind: "webhook_endpoints",
  data: { endpoint_id: "whe_1", host: "hooks.acme.example", state: "failing", since },
}

test("a mail states the problem, where to act on it, and where to switch mails off", () => {
  expect(notificationMail(failing, reader)).toEqual({
    subject: "Acme: The webhook endpoint hooks.acme.example has been failing for a day",
    text: `Every delivery to the webhook endpoint hooks.acme.example has failed since 3 November 2026 at 09:30 (UTC).

Vouch keeps retrying, and disables the endpoint after 4 days without a success. See what the endpoint answered:
https://vouch.example/ws_1/webhooks/whe_1

You get this email as a member of Acme (live mode). Choose which emails you get:
https://vouch.example/ws_1/settings?part=account
`,
  })
})

test("times are in the reader's zone, and test mode is obvious", () => {
  const { subject, text } = notificationMail(failing, {
    ...reader,
    mode: "test",
    timeZone: "America/New_York",
  })
  expect(subject).toMatch(/^\[Test\] /)
  expect(text).toContain("3 November 2026 at 04:30 (America/New York)")
})

const cases: [Notification, RegExp, RegExp][] = [
  [
    {
      kind: "webhook_endpoints",
      data: { endpoint_id: "whe_1", host: "a.example", state: "disabled", reason: "gone", since },
    },
    /a\.example is disabled/,
    /410 Gone/,
  ],
  [
    {
      kind: "webhook_endpoints",
      data: { endpoint_id: "whe_1", host: "a.example", state: "disabled", reason: "failing", since },
    },
    /is disabled/,
    /every delivery has failed since 3 November/,
  ],
  [
    { kind: "low_sol", data: { address: "Payer1", sol: 0.02, hours_left: 0.4 } },
    /0\.02 SOL left/,
    /lasts about 24 minutes/,
  ],
  [{ kind: "low_sol", data: { address: "Payer1", sol: 0.02, hours_left: 1.2 } }, /./, /lasts about 1 hour at/],
  [{ kind: "low_sol", data: { address: "Payer1", sol: 0, hours_left: null } }, /: 0 SOL left/, /has 0 SOL\./],
  [
    { kind: "differences", data: { differences: 1, unexplained: 0, compared_at: since } },
    /disagree/,
    /found 1 difference between[\s\S]*ledger audit/,
  ],
  [
    { kind: "differences", data: { differences: 0, unexplained: 2, compared_at: null } },
    /disagree/,
    /^2 transactions on chain[\s\S]*ledger reconcile/,
  ],
  [
    { kind: "quota", data: { percent: 80, used: 401, included: 500 } },
    /: 80 % of this month/,
    /401 of 500[\s\S]*When all/,
  ],
  [{ kind: "quota", data: { percent: 100, used: 500, included: 500 } }, /is used up/, /refused until the month ends/],
  [{ kind: "review_waiting", data: { count: 1, oldest: since } }, /: A review waits/, /since 3 November/],
  [
    {
      kind: "approval_waiting",
      data: { approval_id: "apr_1", action: "force_transfer", mint_config: "fund", expires_at: since },
    },
    /A request needs your approval: Force a transfer$/,
    /^You can approve this request: Force a transfer, token fund\.[\s\S]*expires on 3 November[\s\S]*\/approvals\/apr_1/,
  ],
  [
    {
      kind: "approval_waiting",
      data: { approval_id: "apr_1", action: "policy_change", mint_config: null, expires_at: since },
    },
    /policy$/,
    /^You can approve this request: Change an approval policy\./,
  ],
  [{ kind: "review_waiting", data: { count: 3, oldest: since } }, /: 3 reviews wait/, /the oldest since/],
]
test.each(cases)("%j is written in words", (notification, subject, text) => {
  const mail = notificationMail(notification, reader)
  expect(mail.subject).toMatch(subject)
  expect(mail.text).toMatch(text)
  expect(mail.text).not.toMatch(/undefined|null|NaN|\[object/)
})
