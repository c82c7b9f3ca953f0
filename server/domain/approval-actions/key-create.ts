import { approveKey } from "#domain/accounts"
import { act } from "./act.ts"

export const keyCreate = act((verb, { subject, request }) => approveKey(verb, { keyId: subject, request }))
