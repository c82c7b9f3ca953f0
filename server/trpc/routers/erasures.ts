import { z } from "zod"
import * as privacy from "#domain/privacy"
import { idOf } from "#server/lib/fields.ts"
import { walletAddress } from "#server/solana/wallet-address.ts"
import { endpointsIn, memberWith, router } from "#server/trpc/trpc.ts"

const { endpoint } = endpointsIn("Privacy")

const investorId = idOf("inv").meta({ description: "The investor's id", example: "inv_7mYcTzHkLwR2sVbJm9X4f8" })

/** What an erasure does. `stays`: the wallets' addresses. */
const what = (stays: string) =>
  `pending and verified attestations end, credentials are destroyed on chain within seconds, vendors are asked to delete their data, and claims, salts, your own ids, reasons, notes, stored answers and logged requests are erased. ${stays}, with ids, times and amounts. You cannot undo this. A repeated request returns the same erasure.`

/** Erasing the data about a person. */
export const erasureRouter = router({
  wallet: endpoint("POST /wallets/{pubkey}/erase", {
    scope: "investor:erase",
    needsApproval: true,
    erases: true,
    fails: ["attestation_not_found", "invalid_public_key", "review_open"],
    operationId: "eraseWallet",
    summary: "Erase a wallet's data",
    description: `Erases the data about the person behind a wallet: ${what("The wallet's address stays")} Other wallets of the investor keep their data and are no longer tied to this one.`,
    input: z.object({ pubkey: walletAddress }),
    output: privacy.erasureRecord,
  }).mutation(({ ctx, input }) => privacy.eraseWalletOnRequest({ ...ctx, wallet: input.pubkey })),

  investor: endpoint("POST /investor/{id}/erase", {
    scope: "investor:erase",
    needsApproval: true,
    erases: true,
    fails: ["investor_not_found", "review_open"],
    operationId: "eraseInvestor",
    summary: "Erase an investor's data",
    description: `Erases the data about an investor, with all of their wallets: ${what("The addresses of the wallets stay")}`,
    input: z.object({ id: investorId }),
    output: privacy.erasureRecord,
  }).mutation(({ ctx, input }) => privacy.eraseInvestorOnRequest({ ...ctx, investorId: input.id })),

  get: endpoint("GET /erasure/{id}", {
    scope: "investor:erase",
    fails: ["erasure_not_found"],
    operationId: "getErasure",
    summary: "Get an erasure",
    description: "Returns what was erased, and how far vendors are with deleting their data.",
    input: z.object({ id: idOf("era").meta({ description: "The erasure's id" }) }),
    output: privacy.erasureRecord,
  }).query(({ ctx, input }) => privacy.getErasure(ctx.principal.workspaceId, input.id)),

  /** The data of an erased investor at vendors, with what a member needs to ask vendors without an API. */
  redactions: memberWith("investor:erase")
    .input(z.object({ investorId }))
    .query(({ ctx, input }) => privacy.listRedactions(ctx.principal.workspaceId, input.investorId)),

  confirm: memberWith("investor:erase")
    .input(z.object({ id: z.string().max(100) }))
    .mutation(({ ctx, input }) => privacy.confirmRedaction({ ...ctx, id: input.id })),
})
