import type { Role } from "./roles.ts"

/** The emails to members, by role. Each member can turn each of them off. */
export const notifications = {
  webhook_endpoints: {
    name: "Webhook endpoints",
    summary: "An endpoint has accepted nothing for a day, or was disabled",
    roles: ["owner", "developer"],
  },
  low_sol: {
    name: "Low SOL",
    summary: "A fee payer will soon run out of SOL, once a day until it is funded",
    roles: ["owner", "developer"],
  },
  differences: {
    name: "Differences on chain",
    summary: "The chain and the database disagree, once a day until they agree",
    roles: ["owner", "developer"],
  },
  quota: { name: "Quota", summary: "80 % and 100 % of the month’s attestations are used", roles: ["owner"] },
  review_waiting: {
    name: "Waiting reviews",
    summary: "Live reviews have waited for an hour, once a day until they are decided",
    roles: ["owner", "compliance"],
  },
  approval_waiting: {
    name: "Approvals",
    summary: "A request needs your approval, once for each",
    roles: ["owner", "compliance"],
  },
} as const satisfies Record<string, { name: string; summary: string; roles: readonly Role[] }>

export type NotificationKind = keyof typeof notifications

export const allNotifications = Object.keys(notifications) as NotificationKind[]

/** The emails that a role gets. */
export const notificationsOf = (role: Role): NotificationKind[] =>
  allNotifications.filter((kind) => (notifications[kind].roles as readonly Role[]).includes(role))
