import { redoConfigChange, setPaused } from "#domain/tokens"
import { act } from "./act.ts"

export const unpause = act((verb, { subject }) => setPaused({ ...verb, id: subject, paused: false }))

export const configChange = act((verb, { subject, request }) => redoConfigChange({ ...verb, id: subject, request }))
