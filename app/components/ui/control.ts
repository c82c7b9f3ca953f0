"use client"

import { createContext, use } from "react"

/** What a field knows of the one control inside of it. */
export type Control = {
  id: string
  name: string
  "aria-describedby": string | undefined
  "aria-invalid": true | undefined
  required: boolean | undefined
}

export const ControlContext = createContext<Control | null>(null)

/** The attributes that a control takes from the field around it; outside of one, none. */
export const useControl = (): Partial<Control> => use(ControlContext) ?? {}

/** What every control that holds text looks like. */
export const controlLook =
  "w-full min-w-0 rounded-md border border-field bg-surface px-3 text-sm text-ink placeholder:text-muted disabled:cursor-not-allowed disabled:opacity-60 aria-invalid:border-danger max-sm:text-base"
