import { z } from "zod"
import { sql } from "#db/client.ts"
import { revokeKeysKnownTo } from "#domain/accounts"
import { muteNotifications, readNotificationSettings } from "#domain/notifications"
import * as people from "#domain/people"
import { nameText } from "#server/lib/text.ts"
import { memberProcedure, memberWith, openProcedure, procedure, router, userProcedure } from "#server/trpc/trpc.ts"
import { allNotifications, type NotificationKind } from "#shared/notifications.ts"
import { allRoles, type Role } from "#shared/roles.ts"

const token = z.string().min(1).max(200)
const notification = z.enum(allNotifications as [NotificationKind, ...NotificationKind[]])
const role = z.enum(allRoles as [Role, ...Role[]])
const email = z.email("must be an email address").max(254).toLowerCase()
const password = z
  .string()
  .min(people.MIN_PASSWORD, `must have at least ${people.MIN_PASSWORD} characters`)
  .max(people.MAX_PASSWORD, `must have at most ${people.MAX_PASSWORD} characters`)

/** Procedures of the signed-in user. */
export const meRouter = router({
  get: userProcedure.query(({ ctx }) => people.me(ctx.user)),

  rename: userProcedure
    .input(z.object({ name: nameText(100) }))
    .mutation(({ ctx, input }) => people.renameUser(ctx.user, input.name, ctx.requestId)),

  setTimeZone: userProcedure
    .input(
      z.object({
        time_zone: z.string().max(64).refine(people.isTimeZone, "must be a time zone such as Europe/Berlin").nullable(),
      }),
    )
    .mutation(({ ctx, input }) => people.setTimeZone(ctx.user, input.time_zone)),

  signIns: userProcedure.query(async ({ ctx }) => ({ data: await people.listSignIns(ctx.user) })),

  endSignIn: userProcedure.input(z.object({ id: z.string().max(100) })).mutation(async ({ ctx, input }) => {
    await people.endSignIns(ctx.user, { id: input.id })
    return { id: input.id }
  }),

  /** Mails the user a link to confirm their address. */
  mailConfirmation: userProcedure.mutation(({ ctx }) => people.mailConfirmation(ctx.user)),

  confirmEmail: userProcedure
    .input(z.object({ token }))
    .mutation(({ ctx, input }) => people.confirmEmail(ctx.user, input.token)),

  /** Includes the session that makes the call. */
  endAllSignIns: userProcedure.mutation(async ({ ctx }) => {
    await people.endSignIns(ctx.user, "all")
    return {}
  }),
})

/** Sign-up and links: what a link opens, and which sign-in methods this server offers. */
export const setupRouter = router({
  options: openProcedure.query(() => people.signInOptions()),

  look: openProcedure.input(z.object({ token })).query(async ({ input }) => {
    const invitation = await people.findInvitation(sql, input.token)
    const { account, role, email, invited_by } = invitation
    return {
      kind: invited_by === null ? ("owner" as const) : ("member" as const),
      account,
      role,
      email,
      /** Whether the user must first give an email address, and then continue with the link mailed to it. */
      needs_mail: people.needsMail(invitation),
      /** Whether the account requires it of its members. */
      second_factor_required: invitation.second_factor_required,
      /** The user who already registered the address. */
      holder: await people.holderOf(sql, invitation),
    }
  }),

  createUser: openProcedure
    .input(z.object({ token, name: nameText(100), email, password, take_over: z.boolean().default(false) }))
    .mutation(({ ctx, input: { take_over, ...input } }) =>
      people.createUser({ ...input, takeOver: take_over, requestId: ctx.requestId }),
    ),

  /** Mails a link to the address of a new user. */
  mailLink: openProcedure
    .input(z.object({ token, email }))
    .mutation(({ input }) => people.mailInvitation(input.token, input.email)),

  /** The same response whether the user exists or not. */
  requestReset: openProcedure.input(z.object({ email })).mutation(({ input }) => {
    people.requestReset(input.email)
    return {}
  }),

  resetPassword: openProcedure
    .input(z.object({ token, password }))
    .mutation(({ input }) => people.resetPassword(input.token, input.password)),

  join: userProcedure
    .input(z.object({ token }))
    .mutation(({ ctx, input }) => people.join(input.token, ctx.user, ctx.requestId)),
})

const userId = z.object({ user_id: z.string().min(1).max(100) })

const managing = procedure.meta({ scope: "member:write" })

/** Members of the account that the workspace belongs to. */
export const memberRouter = router({
  list: procedure.query(({ ctx }) => people.listMembers(ctx.principal)),

  invite: managing
    .input(z.object({ role, email: email.optional() }))
    .mutation(({ ctx, input }) => people.inviteMember({ ...ctx, role: input.role, email: input.email ?? null })),

  revokeInvitation: managing
    .input(z.object({ id: z.string().min(1).max(100) }))
    .mutation(({ ctx, input }) => people.revokeInvitation({ ...ctx, id: input.id })),

  changeRole: managing
    .input(userId.extend({ role }))
    .mutation(({ ctx, input }) => people.changeRole({ ...ctx, userId: input.user_id, role: input.role })),

  /** Confirms a reviewer who joined while a policy is about reviews. */
  admit: memberWith("review:write")
    .input(userId)
    .mutation(({ ctx, input }) => people.admitMember({ ...ctx, userId: input.user_id })),

  remove: managing.input(userId).mutation(({ ctx, input }) => people.removeMember({ ...ctx, userId: input.user_id })),

  revokeKeys: managing.input(userId).mutation(({ ctx, input }) => revokeKeysKnownTo({ ...ctx, userId: input.user_id })),

  /** Which emails the caller gets. */
  notifications: memberProcedure.query(({ ctx }) => readNotificationSettings(ctx.principal)),

  muteNotifications: memberProcedure
    .input(z.object({ muted: z.array(notification).max(allNotifications.length) }))
    .mutation(({ ctx, input }) => muteNotifications(ctx.principal, input.muted)),
})
