import { z } from "zod"
import { countInvestors, searchFilter } from "#domain/attestations"
import * as investors from "#domain/investors"
import { readInvestor } from "#server/dashboard/investors/detail.ts"
import { listInvestorOperations, listRefusals } from "#server/dashboard/investors/operations.ts"
import { ownersInput, ownersOf } from "#server/dashboard/investors/owners.ts"
import { pickInput, pickWallets } from "#server/dashboard/investors/pick.ts"
import { investorSearch, searchInvestors } from "#server/dashboard/investors/search.ts"
import { createdSpan, idOf, listOf, page } from "#server/lib/fields.ts"
import { freeLines, plainText } from "#server/lib/text.ts"
import { walletAddress } from "#server/solana/wallet-address.ts"
import { endpointsIn, memberWith, router } from "#server/trpc/trpc.ts"

const { endpoint } = endpointsIn("Investor")

const id = idOf("inv").meta({ description: "The investor's id" })

const noteText = freeLines(investors.MAX_NOTE).refine((text) => text.trim() !== "", "must not be empty")

export const investorRouter = router({
  list: endpoint("GET /investors", {
    scope: "kyc:read",
    fails: ["invalid_public_key"],
    summary: "List investors",
    description:
      "Newest first. The same externalId means the same investor, with any number of wallets. Without one, each wallet is a separate investor. Pages stay stable while investors are added.",
    input: z.object({
      external_id: plainText(200).optional().meta({
        description: "Only the investor with this externalId",
        example: "investor-4711",
      }),
      wallet: walletAddress.optional().meta({ description: "Only the investor who has this wallet" }),
      ...createdSpan,
      ...page,
    }),
    output: listOf(investors.investorRecord).meta({ id: "InvestorList" }),
  }).query(({ ctx, input }) =>
    investors.listInvestors(ctx.principal, {
      externalId: input.external_id ?? null,
      wallet: input.wallet ?? null,
      after: input.created_after ?? null,
      before: input.created_before ?? null,
      limit: input.limit,
      cursor: input.cursor ?? null,
    }),
  ),

  get: endpoint("GET /investor/{id}", {
    scope: "kyc:read",
    fails: ["investor_not_found"],
    summary: "Get an investor",
    description:
      "Returns the investor with the status of each wallet for each schema. If two investors turn out to be one, because a wallet is started with the externalId of another, both ids return the one that remains.",
    input: z.object({ id }),
    output: investors.investorDetail,
  }).query(({ ctx, input }) => investors.getInvestor(ctx.principal, input.id)),

  // For the dashboard only.

  search: memberWith("kyc:read")
    .input(investorSearch)
    .query(({ ctx, input }) => searchInvestors(ctx.principal, input)),

  count: memberWith("kyc:read")
    .input(searchFilter.omit({ status: true, investor: true }))
    .query(({ ctx, input }) => countInvestors(ctx.principal, input)),

  pick: memberWith("kyc:read")
    .input(pickInput)
    .query(({ ctx, input }) => pickWallets(ctx.principal, input)),

  owners: memberWith("kyc:read")
    .input(ownersInput)
    .query(({ ctx, input }) => ownersOf(ctx.principal, input.wallets)),

  view: memberWith("kyc:read")
    .input(z.object({ id }))
    .query(({ ctx, input }) => readInvestor(ctx.principal, input.id)),

  operations: memberWith("token:read")
    .input(z.object({ id, cursor: page.cursor }))
    .query(({ ctx, input }) =>
      listInvestorOperations(ctx.principal, { investorId: input.id, cursor: input.cursor ?? null }),
    ),

  refusals: memberWith("token:read")
    .input(z.object({ id }))
    .query(({ ctx, input }) => listRefusals(ctx.principal, input.id)),

  /** A mutation, because each view is an entry in the audit log. */
  viewClaims: memberWith("claims:read")
    .input(z.object({ id }))
    .mutation(({ ctx, input }) => investors.viewClaims(ctx, input.id)),

  notes: memberWith("claims:read")
    .input(z.object({ id, cursor: page.cursor }))
    .query(({ ctx, input }) =>
      investors.listNotes(ctx.principal, { investorId: input.id, cursor: input.cursor ?? null }),
    ),

  addNote: memberWith("review:write")
    .input(z.object({ id, text: noteText }))
    .mutation(({ ctx, input }) => investors.addNote(ctx, { investorId: input.id, text: input.text })),

  editNote: memberWith("review:write")
    .input(z.object({ note_id: z.string().max(100), text: noteText }))
    .mutation(({ ctx, input }) => investors.editNote(ctx, { noteId: input.note_id, text: input.text })),

  deleteNote: memberWith("review:write")
    .input(z.object({ note_id: z.string().max(100) }))
    .mutation(({ ctx, input }) => investors.deleteNote(ctx, input.note_id)),
})
