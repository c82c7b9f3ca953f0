import type { Role } from "./roles.ts"

/** What members are mailed about, and whom it concerns, by role. Each member can switch each of them off. */
export const notifications = {
  webhook_endpoints: {
    name: "Webhook endpoints",
    summary: "One has taken nothing for a day, or was disabled",
    roles: ["owner", "developer"],
  },
  low_sol: {
    name: "Low SOL",
    summary: "A fee payer needs SOL soon, once a day until it has some",
    roles: ["owner", "developer"],
  },
  differences: {
    name: "Differences on chain",
    summary: "The chain and the database disagree, once a day until they agree",
    roles: ["owner", "developer"],
  },
  quota: {
    name: "Quota",
    summary: "80 % and 100 % of the month’s attestations are used",
    roles: ["owner"],
  },
  review_waiting: {
    name: "Waiting reviews",
    summary: "Live reviews have waited for an hour, once a day until they are decided",
    roles: ["owner", "compliance"],
  },
} as const satisfies Record<string, { name: string; summary: string; roles: readonly Role[] }>

export type NotificationKind = keyof typeof notifications

export const allNotifications = Object.keys(notifications) as NotificationKind[]

/** What a role is mailed about. */
export const notificationsOf = (role: Role): NotificationKind[] =>
  allNotifications.filter((kind) => (notifications[kind].roles as readonly Role[]).includes(role))
