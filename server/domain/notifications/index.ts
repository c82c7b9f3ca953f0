// Emails to members.

/** What each member receives. */
export { muteNotifications, type NotificationSettings, readNotificationSettings } from "./settings.ts"

/** Sending them. */
export { dropOldNotifications, sendNotifications } from "./send.ts"
