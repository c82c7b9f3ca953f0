import { startDistribution } from "#domain/distributions"
import { act } from "./act.ts"

export const distribution = act(async (verb, { subject: id }) => startDistribution({ ...verb, id }))
