import { z } from "zod"
import * as accounts from "#domain/accounts"
import { readReminderSettings, setReminders } from "#domain/kyc"
import { mailedName } from "#server/lib/text.ts"
import { memberProcedure, memberWith, router } from "#server/trpc/trpc.ts"

export const workspaceRouter = router({
  get: memberProcedure.query(({ ctx }) => accounts.readWorkspace(ctx.principal)),

  renameAccount: memberWith("member:write")
    .input(z.object({ name: mailedName(100) }))
    .mutation(({ ctx, input }) => accounts.renameAccount({ ...ctx, name: input.name })),

  /** The company's brand on the hosted page. */
  brand: memberProcedure.query(({ ctx }) => accounts.readBrand(ctx.principal)),

  setBrand: memberWith("member:write")
    .input(z.object({ color: accounts.brandColor, contact: accounts.contact }))
    .mutation(({ ctx, input }) => accounts.setBrand(ctx, input)),

  removeLogo: memberWith("member:write").mutation(({ ctx }) => accounts.setLogo(ctx, null)),

  reminders: memberProcedure.query(({ ctx }) => readReminderSettings(ctx.principal.workspaceId)),

  setReminders: memberWith("schema:write")
    .input(z.object({ on: z.boolean() }))
    .mutation(({ ctx, input }) => setReminders(ctx, input.on)),

  requireSecondFactor: memberWith("member:write")
    .input(z.object({ required: z.boolean() }))
    .mutation(({ ctx, input }) => accounts.setSecurity({ ...ctx, required: input.required })),
})
