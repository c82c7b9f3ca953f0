import { z } from "zod"
import { listSavedFilters, removeFilter, renameFilter, saveFilter } from "#server/dashboard/saved-filters.ts"
import { freeText, nameText } from "#server/lib/text.ts"
import { memberProcedure, router } from "#server/trpc/trpc.ts"
import { filteredLists } from "#shared/saved-filters.ts"

const list = z.enum(filteredLists)
const name = nameText(60)
const id = z.string().max(100)
/** A few short parameters of the list's page. */
const filter = z
  .record(z.string().regex(/^[a-z_]{1,30}$/), freeText(200))
  .refine((filter) => Object.keys(filter).length > 0, "must not be empty")
  .refine((filter) => Object.keys(filter).length <= 20, "must have at most 20 fields")

/** Filters that a member saved. */
export const savedFilterRouter = router({
  list: memberProcedure
    .input(z.object({ list }))
    .query(async ({ ctx, input }) => ({ data: await listSavedFilters(ctx.principal, input.list) })),

  save: memberProcedure
    .input(z.object({ list, name, filter }))
    .mutation(({ ctx, input }) => saveFilter(ctx.principal, input)),

  rename: memberProcedure
    .input(z.object({ id, name }))
    .mutation(({ ctx, input }) => renameFilter(ctx.principal, input)),

  remove: memberProcedure.input(z.object({ id })).mutation(({ ctx, input }) => removeFilter(ctx.principal, input.id)),
})
