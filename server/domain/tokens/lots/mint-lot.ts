import { z } from "zod"
import { exemptions } from "#shared/lots.ts"

/** What an operation records about the units that it mints. `acquired_at` is absent if that is when they land. */
export const storedLot = z.object({ exemption: z.enum(exemptions), acquired_at: z.string().optional() })
export type StoredLot = z.output<typeof storedLot>
