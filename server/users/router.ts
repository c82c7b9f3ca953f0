import { z } from "zod"
import { sql } from "#db/client.ts"
import { plainText } from "#server/text.ts"
import { openProcedure, procedure, router, userProcedure } from "#server/trpc.ts"
import { MAX_PASSWORD, MIN_PASSWORD } from "./auth.ts"
import { findInvitation } from "./invitations.ts"
import { createUser, join } from "./join.ts"
import { me, renameUser } from "./me.ts"
import { changeRole, inviteMember, listMembers, removeMember, revokeInvitation } from "./members.ts"
import { signInOptions } from "./options.ts"
import { allRoles, type Role } from "./roles.ts"
import { endSignIns, listSignIns } from "./sign-ins.ts"

const token = z.string().min(1).max(200)
const role = z.enum(allRoles as [Role, ...Role[]])
const email = z.email("must be an email address").max(254).toLowerCase()

/** Whoever is signed in. */
export const meRouter = router({
  get: userProcedure.query(({ ctx }) => me(ctx.user)),

  rename: userProcedure
    .input(z.object({ name: plainText(100) }))
    .mutation(({ ctx, input }) => renameUser(ctx.user, input.name)),

  signIns: userProcedure.query(async ({ ctx }) => ({ data: await listSignIns(ctx.user) })),

  endSignIn: userProcedure.input(z.object({ id: z.string().max(100) })).mutation(async ({ ctx, input }) => {
    await endSignIns(ctx.user, { id: input.id })
    return { id: input.id }
  }),

  /** Also the one that asks. */
  endAllSignIns: userProcedure.mutation(async ({ ctx }) => {
    await endSignIns(ctx.user, "all")
    return {}
  }),
})

/** The doors: what a link opens, and what this server offers to come in. */
export const setupRouter = router({
  options: openProcedure.query(() => signInOptions()),

  look: openProcedure.input(z.object({ token })).query(async ({ input }) => {
    const { account, role, email, invited_by } = await findInvitation(sql, input.token)
    return { kind: invited_by === null ? ("owner" as const) : ("member" as const), account, role, email }
  }),

  createUser: openProcedure
    .input(
      z.object({
        token,
        name: plainText(100),
        email,
        password: z
          .string()
          .min(MIN_PASSWORD, `must have at least ${MIN_PASSWORD} characters`)
          .max(MAX_PASSWORD, `must have at most ${MAX_PASSWORD} characters`),
      }),
    )
    .mutation(({ ctx, input }) => createUser({ ...input, requestId: ctx.requestId })),

  join: userProcedure
    .input(z.object({ token }))
    .mutation(({ ctx, input }) => join(input.token, ctx.user, ctx.requestId)),
})

const userId = z.object({ user_id: z.string().min(1).max(100) })

/** Members of the account that the workspace belongs to. */
export const memberRouter = router({
  list: procedure.query(({ ctx }) => listMembers(ctx.principal)),

  invite: procedure
    .meta({ scope: "member:write" })
    .input(z.object({ role, email: email.optional() }))
    .mutation(({ ctx, input }) => inviteMember({ ...ctx, role: input.role, email: input.email ?? null })),

  revokeInvitation: procedure
    .meta({ scope: "member:write" })
    .input(z.object({ id: z.string().min(1).max(100) }))
    .mutation(({ ctx, input }) => revokeInvitation({ ...ctx, id: input.id })),

  changeRole: procedure
    .meta({ scope: "member:write" })
    .input(userId.extend({ role }))
    .mutation(({ ctx, input }) => changeRole({ ...ctx, userId: input.user_id, role: input.role })),

  remove: procedure
    .meta({ scope: "member:write" })
    .input(userId)
    .mutation(({ ctx, input }) => removeMember({ ...ctx, userId: input.user_id })),
})
