import { createContext, use } from "react"

/** The browser's own zone. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** The zone's current abbreviation, such as `GMT+9`. */
export const shortZone = (zone: string): string =>
  new Intl.DateTimeFormat("en-GB", { timeZone: zone, timeZoneName: "short" })
    .formatToParts()
    .find(({ type }) => type === "timeZoneName")!.value

const Zone = createContext<string | null>(null)

/** Shows all times below it in a zone, by default the browser's own. */
export const TimeZone = Zone.Provider

/** The zone of all times on this page. Only for what the browser renders: the server's zone differs. */
export const useTimeZone = (): string => use(Zone) ?? ownZone()
