import { z } from "zod"
import {
  agreeToProof,
  askForProof,
  continueToProvider,
  emailAddress,
  proveOnChain,
  proveWallet,
  readView,
  remindAt,
  type SessionView,
  startRenewal,
  stopReminders,
  submitForm,
} from "#domain/kyc"
import { country } from "#server/lib/fields.ts"
import { openProcedure, router } from "#server/trpc/trpc.ts"
import { languageCodes } from "#shared/languages.ts"
import { decisions } from "#shared/statuses.ts"

const sessionId = z.string().max(100)
/** A signed message is a few hundred bytes. */
const message = z.base64().max(8192)
/** Any length is accepted here: the proof itself refuses an invalid signature. */
const signature = z.base64().max(1024)

const transactionSignature = z
  .string()
  .trim()
  .regex(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/, "must be the base58 signature of a transaction")

/** The hosted page's procedures. The session id is the credential; no API key is needed. */
export const verificationRouter = router({
  // A mutation, so that the id is sent in the body and not in an address.
  view: openProcedure
    .input(z.object({ sessionId }))
    .mutation(({ input }): Promise<SessionView> => readView(input.sessionId, { isBack: true })),

  /** The consent, if the wallet step follows. */
  agree: openProcedure
    .input(z.object({ sessionId, consent: z.literal(true) }))
    .mutation(async ({ input }): Promise<SessionView> => {
      await agreeToProof(input.sessionId)
      return readView(input.sessionId)
    }),

  /** What the wallet should sign. */
  askForProof: openProcedure.input(z.object({ sessionId })).mutation(({ input }) => askForProof(input.sessionId)),

  /** What the wallet signed: a message, or a transaction that is never sent. */
  proveWallet: openProcedure
    .input(z.union([z.object({ sessionId, message, signature }), z.object({ sessionId, transaction: message })]))
    .mutation(async ({ input }): Promise<SessionView> => {
      const bytes = (base64: string) => Buffer.from(base64, "base64")
      await proveWallet(
        input.sessionId,
        "message" in input
          ? { message: bytes(input.message), signature: bytes(input.signature) }
          : { transaction: bytes(input.transaction) },
      )
      return readView(input.sessionId)
    }),

  /** The transaction on chain in which a smart wallet signed the requested memo. */
  proveOnChain: openProcedure
    .input(z.object({ sessionId, transaction: transactionSignature }))
    .mutation(async ({ input }): Promise<SessionView> => {
      await proveOnChain(input.sessionId, input.transaction)
      return readView(input.sessionId)
    }),

  continue: openProcedure
    .input(z.object({ sessionId, consent: z.literal(true), language: z.enum(languageCodes).nullable().default(null) }))
    .mutation(async ({ input }): Promise<{ url: string | null; view: SessionView }> => {
      const url = await continueToProvider(input.sessionId, input.language)
      return { url, view: await readView(input.sessionId) }
    }),

  submit: openProcedure
    .input(
      z.object({
        sessionId,
        consent: z.literal(true),
        country,
        ageOver18: z.boolean(),
        accredited: z.boolean(),
        decision: z.enum(decisions),
      }),
    )
    .mutation(async ({ input }): Promise<SessionView> => {
      const { sessionId, decision, country, ageOver18, accredited } = input
      await submitForm({ sessionId, decision, claims: { country, age_over_18: ageOver18, accredited } })
      return readView(sessionId)
    }),

  /** For a verified session: the email address for the reminder before it expires. */
  remind: openProcedure
    .input(z.object({ sessionId, email: emailAddress, language: z.enum(languageCodes).default("en") }))
    .mutation(async ({ input }): Promise<SessionView> => {
      await remindAt(input.sessionId, input.email, input.language)
      return readView(input.sessionId)
    }),

  /** For a mailed link: starts the renewal and returns its page. */
  renew: openProcedure
    .input(z.object({ sessionId }))
    .mutation(async ({ ctx, input }): Promise<{ url: string | null; view: SessionView }> => {
      const url = await startRenewal(input.sessionId, ctx.requestId)
      return { url, view: await readView(input.sessionId) }
    }),

  stopReminders: openProcedure.input(z.object({ sessionId })).mutation(async ({ input }): Promise<SessionView> => {
    await stopReminders(input.sessionId)
    return readView(input.sessionId)
  }),
})
