import { z } from "zod"
import {
  brandColor,
  contact,
  readBrand,
  readWorkspace,
  renameAccount,
  setBrand,
  setLogo,
  setSecurity,
  turnOffFourEyes,
} from "#domain/accounts"
import { readReminderSettings, setReminders } from "#domain/kyc"
import { mailedName } from "#server/lib/text.ts"
import { memberProcedure, memberWith, router } from "#server/trpc/trpc.ts"

export const workspaceRouter = router({
  get: memberProcedure.query(({ ctx }) => readWorkspace(ctx.principal)),

  renameAccount: memberWith("member:write")
    .input(z.object({ name: mailedName(100) }))
    .mutation(({ ctx, input }) => renameAccount({ ...ctx, name: input.name })),

  /** The company's brand on the hosted page. */
  brand: memberProcedure.query(({ ctx }) => readBrand(ctx.principal)),

  setBrand: memberWith("member:write")
    .input(z.object({ color: brandColor, contact }))
    .mutation(({ ctx, input }) => setBrand(ctx, input)),

  removeLogo: memberWith("member:write").mutation(({ ctx }) => setLogo(ctx, null)),

  reminders: memberProcedure.query(({ ctx }) => readReminderSettings(ctx.principal.workspaceId)),

  setReminders: memberWith("schema:write")
    .input(z.object({ on: z.boolean() }))
    .mutation(({ ctx, input }) => setReminders({ ...ctx, on: input.on })),

  requireSecondFactor: memberWith("member:write")
    .input(z.object({ required: z.boolean() }))
    .mutation(({ ctx, input }) => setSecurity({ ...ctx, wanted: { second_factor_required: input.required } })),

  requireFourEyes: memberWith("member:write")
    .input(z.object({ required: z.boolean() }))
    .mutation(async ({ ctx, input }) => {
      if (!input.required) return turnOffFourEyes(ctx)
      const { four_eyes } = await setSecurity({ ...ctx, wanted: { four_eyes: true } })
      return { four_eyes, requested: false }
    }),

  /** Confirms a change that an owner has asked for. */
  turnOffFourEyes: memberWith("review:write")
    .input(z.object({}))
    .mutation(({ ctx }) => turnOffFourEyes(ctx)),
})
