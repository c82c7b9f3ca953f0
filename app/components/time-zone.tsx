"use client"

import { createContext, use } from "react"
import { ownZone } from "./zone.ts"

const Zone = createContext<string | null>(null)

/** Shows all times below it in a zone; in the browser's own where none is chosen. */
export const TimeZone = Zone.Provider

/** The zone of all times on this page. Only for what a browser renders: a server has another zone. */
export const useTimeZone = (): string => use(Zone) ?? ownZone()
