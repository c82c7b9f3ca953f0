import { z } from "zod"
import { deployment } from "#server/domain/deployment.ts"
import { continueToProvider } from "#server/domain/kyc/hosted-page/continue.ts"
import { submitForm } from "#server/domain/kyc/hosted-page/submit.ts"
import { findSession, type SessionView, viewOf } from "#server/domain/kyc/hosted-page/view.ts"
import { country } from "#server/lib/fields.ts"
import { clock } from "#server/lib/time.ts"
import { openProcedure, router } from "#server/trpc/trpc.ts"
import { decisions } from "#shared/statuses.ts"

const sessionId = z.string().max(100)

async function readView(id: string): Promise<SessionView> {
  const row = await findSession(id)
  return viewOf(row, clock.now(), row ? (deployment.chains[row.mode]?.bound?.cluster ?? null) : null)
}

/** The hosted page's procedures. The session id is the credential; no API key is needed. */
export const verificationRouter = router({
  // A mutation, so that the id travels in the body and not in an address.
  view: openProcedure
    .input(z.object({ sessionId }))
    .mutation(({ input }): Promise<SessionView> => readView(input.sessionId)),

  continue: openProcedure
    .input(z.object({ sessionId, consent: z.literal(true) }))
    .mutation(async ({ input }): Promise<{ url: string | null; view: SessionView }> => {
      const url = await continueToProvider(input.sessionId)
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
      await submitForm({
        sessionId,
        decision,
        claims: { country, age_over_18: ageOver18, accredited },
      })
      return readView(sessionId)
    }),
})
