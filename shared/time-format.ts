/** How a time is written for people, wherever it is read: to the minute, with the zone that it is in. */
export const timeFormat = {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZoneName: "short",
} as const satisfies Intl.DateTimeFormatOptions
