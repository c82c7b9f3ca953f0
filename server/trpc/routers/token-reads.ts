import { z } from "zod"
import { searchText } from "#domain/investor-search"
import * as tokens from "#domain/tokens"
import { address, amountText, createdSpan, filterId, idOf, listOf, named, page } from "#server/lib/fields.ts"
import { walletAddress } from "#server/solana/wallet-address.ts"
import { endpointsIn, memberWith } from "#server/trpc/trpc.ts"

const { endpoint } = endpointsIn("Token")

const balance = z
  .object({
    user_pubkey: address.meta({ example: "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU" }),
    mint_config: named.meta({ example: "us_real_estate_fund_v1" }),
    amount: amountText.meta({ example: "749.5" }),
    ...tokens.availability,
    frozen: z
      .boolean()
      .meta({ description: "Whether the token account is frozen; true if there is none", example: true }),
    wallet_freeze: tokens.walletFreeze,
  })
  .meta({ id: "Balance" })

/** Operations, balances, lots and holders. */
export const tokenReads = {
  operation: endpoint("GET /token/operation/{id}", {
    scope: "token:read",
    fails: ["operation_not_found"],
    operationId: "getOperation",
    summary: "Get an operation",
    description: "Returns the status of a mint, a transfer, a burn or a forced transfer.",
    input: z.object({ id: idOf("op").meta({ description: "The operation's id" }) }),
    output: tokens.operationRecord,
  }).query(({ ctx, input }) => tokens.getOperation(ctx.principal, input.id)),

  operations: endpoint("GET /token/operations", {
    scope: "token:read",
    fails: ["invalid_public_key", "unknown_mint_config"],
    operationId: "listOperations",
    summary: "List operations",
    description: "Newest first. Pages stay stable while operations are added.",
    input: z.object({
      mint_config: tokens.knownConfigId.optional(),
      pubkey: walletAddress.optional().meta({ description: "Only operations with this wallet as sender or recipient" }),
      status: tokens.operationStatus.optional().meta({ description: "Only operations with this status" }),
      kind: tokens.operationKind.optional().meta({ description: "Only operations of this kind" }),
      ...createdSpan,
      ...page,
    }),
    output: listOf(tokens.operationRecord).meta({ id: "OperationList" }),
  }).query(({ ctx, input }) =>
    tokens.listOperations(ctx.principal, {
      mintConfig: input.mint_config ?? null,
      wallet: input.pubkey ?? null,
      status: input.status ?? null,
      kind: input.kind ?? null,
      after: input.created_after ?? null,
      before: input.created_before ?? null,
      limit: input.limit,
      cursor: input.cursor ?? null,
    }),
  ),

  balance: endpoint("GET /token/balance/{pubkey}", {
    scope: "token:read",
    fails: ["invalid_public_key", "unknown_mint_config", "chain_not_configured", "chain_unavailable"],
    operationId: "getBalance",
    summary: "Get a balance",
    description: "Reads the chain now. A wallet without an account has balance 0 and frozen true.",
    input: z.object({ pubkey: walletAddress, mint_config: tokens.knownConfigId }),
    output: balance,
  }).query(({ ctx, input }) => tokens.balanceOf(ctx.principal, input.mint_config, input.pubkey)),

  balances: endpoint("GET /token/balances/{pubkey}", {
    scope: "token:read",
    fails: ["invalid_public_key", "chain_not_configured", "chain_unavailable"],
    operationId: "listBalances",
    summary: "List a wallet's balances",
    description:
      "Reads the chain now: each token of the workspace for which the wallet has an account, newest token first.",
    input: z.object({ pubkey: walletAddress }),
    output: tokens.walletBalances,
  }).query(({ ctx, input }) => tokens.readWalletBalances(ctx.principal, input.pubkey)),

  lots: endpoint("GET /token/lots/{pubkey}", {
    scope: "token:read",
    fails: ["invalid_public_key", "unknown_mint_config"],
    operationId: "listLots",
    summary: "List a wallet's lots",
    description:
      "When and under which exemption the wallet acquired the tokens that it holds. The oldest first: in this order, transfers take them. The amounts add up to the balance that Vouch has recorded. In holder mode, that includes only what went through Vouch.",
    input: z.object({ pubkey: walletAddress, mint_config: tokens.knownConfigId, ...page }),
    output: tokens.lotPage,
  }).query(({ ctx, input: { pubkey: wallet, mint_config: mintConfig, limit, cursor = null } }) =>
    tokens.listLots(ctx.principal, { wallet, mintConfig, limit, cursor }),
  ),

  register: endpoint("GET /token/holders/{mint_config}", {
    scope: "token:read",
    fails: ["mint_config_not_found"],
    operationId: "listHolders",
    summary: "List a token's holders",
    description:
      "Wallets that hold the token or are about to, with the balances that Vouch has recorded. Sorted by wallet, a holder is on exactly one page even if other balances change while you read. Sorted by balance, a wallet whose balance changes between two pages may be on both or neither. In holder mode, these balances include only what went through Vouch.",
    input: z.object({
      mint_config: tokens.configId,
      sort: z.enum(tokens.holderOrders).default("wallet").meta({
        description: "`wallet`: by address; `balance`: largest first",
        example: "wallet",
      }),
      ...page,
    }),
    output: tokens.holderPage,
  }).query(({ ctx, input: { mint_config: mintConfig, sort, limit, cursor = null } }) =>
    tokens.readRegister(ctx.principal, { mintConfig, sort, limit, cursor }),
  ),

  registerAt: endpoint("GET /token/register/{mint_config}", {
    scope: "token:read",
    fails: ["mint_config_not_found", "not_final_yet", "chain_not_configured", "chain_unavailable"],
    operationId: "getRegister",
    summary: "Get the register at a moment",
    description:
      "Who held how much of a token at a moment, from the books that every mint, transfer and burn is posted in. A moment is inclusive: what landed in its second, or in its slot, counts. It must be final, so that the answer never changes. Until balances are read back, the books of a token in holder mode lack what holders move themselves, and complete is false. All pages are as of the moment of the first.",
    input: z.object({
      mint_config: tokens.configId,
      at: tokens.registerMoment.optional(),
      group: z.enum(tokens.registerGroups).default("wallet").meta({
        description:
          "`wallet`: a row for each wallet, by address; `investor`: a row for each investor, by id, then for each wallet without one, by address. Needs kyc:read or attestation:read",
        example: "wallet",
      }),
      investor: filterId("inv").optional().meta({
        description: "Only wallets of this investor. Needs kyc:read or attestation:read",
        example: "inv_7YbVnQ2tKxWcR5sMpLd8Hf",
      }),
      ...page,
    }),
    output: tokens.registerPage,
  }).query(({ ctx, input }) =>
    tokens.readRegisterAt(ctx.principal, {
      mintConfig: input.mint_config,
      at: input.at === undefined ? null : tokens.momentIn(input.at),
      group: input.group,
      investor: input.investor ?? null,
      limit: input.limit,
      cursor: input.cursor ?? null,
    }),
  ),

  // For the dashboard only.

  holders: memberWith("token:read")
    .input(
      z.object({
        mint_config: tokens.configId,
        q: searchText.optional(),
        limit: page.limit,
        cursor: z.string().max(200).optional(),
      }),
    )
    .output(tokens.holderList)
    .query(({ ctx, input }) =>
      tokens.listHolders(ctx.principal, {
        mintConfig: input.mint_config,
        q: input.q,
        limit: input.limit,
        cursor: input.cursor ?? null,
      }),
    ),

  searchOperations: memberWith("token:read")
    .input(
      z.object({
        mint_config: tokens.configId,
        status: tokens.operationStatus.optional(),
        kind: tokens.operationKind.optional(),
        q: searchText.optional(),
        ...page,
      }),
    )
    .output(listOf(tokens.operationRecord))
    .query(({ ctx, input: { mint_config: mintConfig, status = null, kind = null, cursor = null, ...input } }) =>
      tokens.listOperations(ctx.principal, {
        ...{ ...input, mintConfig, status, kind, cursor },
        ...{ wallet: null, after: null, before: null },
      }),
    ),

  registerView: memberWith("token:read")
    .input(
      z.object({
        mint_config: tokens.configId,
        at: tokens.registerMoment.optional(),
        group: z.enum(tokens.registerGroups),
        q: searchText.optional(),
        investor: filterId("inv").optional(),
        holders: z.literal("unverified").optional(),
        order: z.enum(tokens.registerOrders).optional(),
        ...page,
      }),
    )
    .output(tokens.registerView)
    .query(
      ({
        ctx,
        input: { mint_config: mintConfig, at, group, investor = null, holders, order, q, limit, cursor = null },
      }) =>
        tokens.viewRegister(ctx.principal, {
          ...{ mintConfig, at: at === undefined ? null : tokens.momentIn(at), group, investor, q, limit, cursor },
          isUnverified: holders === "unverified",
          order,
        }),
    ),

  registerCounts: memberWith("token:read")
    .input(z.object({ mint_config: tokens.configId, at: tokens.registerMoment, group: z.enum(tokens.registerGroups) }))
    .output(tokens.registerCounts)
    .query(({ ctx, input: { mint_config: mintConfig, at, group } }) =>
      tokens.countRegister(ctx.principal, { mintConfig, at: tokens.momentIn(at), group }),
    ),

  operationDetail: memberWith("token:read")
    .input(z.object({ id: z.string() }))
    .output(tokens.operationDetail)
    .query(({ ctx, input }) => tokens.readOperationDetail(ctx.principal, input.id)),
}
