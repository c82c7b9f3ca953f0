import { z } from "zod"
import * as kyc from "#domain/kyc"
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

/** The page of a session after a change. */
async function viewAfter(sessionId: string, change: Promise<unknown>): Promise<kyc.SessionView> {
  await change
  return kyc.readView(sessionId)
}

/** The hosted page's procedures. The session id is the credential; no API key is needed. */
export const verificationRouter = router({
  // A mutation, so that the id is sent in the body and not in an address.
  view: openProcedure
    .input(z.object({ sessionId }))
    .mutation(({ input }) => kyc.readView(input.sessionId, { isBack: true })),

  /** The consent, if the wallet step follows. */
  agree: openProcedure
    .input(z.object({ sessionId, consent: z.literal(true) }))
    .mutation(({ input }) => viewAfter(input.sessionId, kyc.agreeToProof(input.sessionId))),

  /** What the wallet should sign. */
  askForProof: openProcedure.input(z.object({ sessionId })).mutation(({ input }) => kyc.askForProof(input.sessionId)),

  /** What the wallet signed: a message, or a transaction that is never sent. */
  proveWallet: openProcedure
    .input(z.union([z.object({ sessionId, message, signature }), z.object({ sessionId, transaction: message })]))
    .mutation(({ input }) => {
      const bytes = (base64: string) => Buffer.from(base64, "base64")
      const signed =
        "message" in input
          ? { message: bytes(input.message), signature: bytes(input.signature) }
          : { transaction: bytes(input.transaction) }
      return viewAfter(input.sessionId, kyc.proveWallet(input.sessionId, signed))
    }),

  /** The transaction on chain in which a smart wallet signed the requested memo. */
  proveOnChain: openProcedure
    .input(z.object({ sessionId, transaction: transactionSignature }))
    .mutation(({ input }) => viewAfter(input.sessionId, kyc.proveOnChain(input.sessionId, input.transaction))),

  continue: openProcedure
    .input(z.object({ sessionId, consent: z.literal(true), language: z.enum(languageCodes).nullable().default(null) }))
    .mutation(async ({ input }) => {
      const url = await kyc.continueToProvider(input.sessionId, input.language)
      return { url, view: await kyc.readView(input.sessionId) }
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
    .mutation(({ input: { sessionId, decision, country, ageOver18, accredited } }) => {
      const claims = { country, age_over_18: ageOver18, accredited }
      return viewAfter(sessionId, kyc.submitForm({ sessionId, decision, claims }))
    }),

  /** For a verified session: the email address for the reminder before it expires. */
  remind: openProcedure
    .input(z.object({ sessionId, email: kyc.emailAddress, language: z.enum(languageCodes).default("en") }))
    .mutation(({ input }) => viewAfter(input.sessionId, kyc.remindAt(input.sessionId, input.email, input.language))),

  /** For a mailed link: starts the renewal and returns its page. */
  renew: openProcedure.input(z.object({ sessionId })).mutation(async ({ ctx, input }) => {
    const url = await kyc.startRenewal(input.sessionId, ctx.requestId)
    return { url, view: await kyc.readView(input.sessionId) }
  }),

  stopReminders: openProcedure
    .input(z.object({ sessionId }))
    .mutation(({ input }) => viewAfter(input.sessionId, kyc.stopReminders(input.sessionId))),
})
