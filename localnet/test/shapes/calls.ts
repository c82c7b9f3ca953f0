import { TOKEN_2022_PROGRAM_ID } from "@solana/spl-token"
import { Keypair, LAMPORTS_PER_SOL, SystemProgram } from "@solana/web3.js"
import bs58 from "bs58"
import type { Fixture } from "./fixture.ts"

/** Parameters that must be new are a function, which runs right before the call. */
export type Call = readonly [name: string, method: string, params?: unknown | (() => Promise<unknown>)]

const FAR = 2 ** 40
const TOKEN_2022 = TOKEN_2022_PROGRAM_ID.toBase58()
const CONFIRMED = { commitment: "confirmed" }
const encodings = ["base58", "base64", "base64+zstd", "jsonParsed", "binary", "nonsense"] as const

/** Calls about the cluster as a whole. */
function clusterCalls({ payer, blockhash, latest, wireMessage }: Prepared): Call[] {
  const me = payer.publicKey.toBase58()
  const plain = [
    ...["getHealth", "getVersion", "getGenesisHash", "getSlot", "getBlockHeight", "getEpochInfo"],
    ...["getEpochSchedule", "getTransactionCount", "getFirstAvailableBlock", "minimumLedgerSlot"],
    ...["getLatestBlockhash", "getRecentPrioritizationFees", "getIdentity", "getInflationGovernor"],
    ...["getInflationRate", "getClusterNodes", "getSupply", "getVoteAccounts"],
    ...["getMaxRetransmitSlot", "getMaxShredInsertSlot", "getSlotLeader", "getBlockProduction"],
    ...["getStakeMinimumDelegation", "getLargestAccounts", "getNonsense", "getRecentBlockhash"],
  ]
  return [
    ...plain.map((method): Call => [method, method]),
    ...["getSlot", "getLatestBlockhash", "getEpochInfo", "getBlockHeight", "getTransactionCount"].flatMap(
      (method): Call[] => [
        [`${method} params null`, method, null],
        [`${method} [null]`, method, [null]],
        [`${method} processed`, method, [{ commitment: "processed" }]],
        [`${method} unknown commitment`, method, [{ commitment: "soon" }]],
        [`${method} far minContextSlot`, method, [{ minContextSlot: FAR }]],
        [`${method} minContextSlot null`, method, [{ minContextSlot: null }]],
        [`${method} a text`, method, ["text"]],
        [`${method} params an object`, method, { commitment: "confirmed" }],
        [`${method} too many`, method, [CONFIRMED, 1, 2]],
      ],
    ),
    ["getEpochInfo unknown option", "getEpochInfo", [{ nonsense: 1 }]],
    ["isBlockhashValid", "isBlockhashValid", [latest, CONFIRMED]],
    ["isBlockhashValid unknown", "isBlockhashValid", [me]],
    ["isBlockhashValid nonsense", "isBlockhashValid", ["nonsense"]],
    ["isBlockhashValid nothing", "isBlockhashValid", []],
    ["getFeeForMessage", "getFeeForMessage", [wireMessage, CONFIRMED]],
    ["getFeeForMessage nonsense", "getFeeForMessage", ["AAAA"]],
    ["getFeeForMessage no base64", "getFeeForMessage", ["*"]],
    ["getMinimumBalanceForRentExemption", "getMinimumBalanceForRentExemption", [165]],
    ["getMinimumBalanceForRentExemption much", "getMinimumBalanceForRentExemption", [20 << 20]],
    ["getMinimumBalanceForRentExemption -1", "getMinimumBalanceForRentExemption", [-1]],
    ["getMinimumBalanceForRentExemption nothing", "getMinimumBalanceForRentExemption", []],
    ["getRecentPrioritizationFees address", "getRecentPrioritizationFees", [[me]]],
    ["getRecentPrioritizationFees nonsense", "getRecentPrioritizationFees", [["nonsense"]]],
    ["getRecentPrioritizationFees 129", "getRecentPrioritizationFees", [Array(129).fill(me)]],
    ["getRecentPerformanceSamples 721", "getRecentPerformanceSamples", [721]],
    ["getSupply without list", "getSupply", [{ excludeNonCirculatingAccountsList: true }]],
    ["getSlotLeaders", "getSlotLeaders", [blockhash.slot, 3]],
    ["getSlotLeaders too many", "getSlotLeaders", [blockhash.slot, 5001]],
    ["getLeaderSchedule null", "getLeaderSchedule", [null]],
    ["getLeaderSchedule far", "getLeaderSchedule", [FAR]],
    ["getInflationReward", "getInflationReward", [[me], { epoch: 0 }]],
    ["getBlockCommitment", "getBlockCommitment", [blockhash.slot]],
    ["getBlockCommitment far", "getBlockCommitment", [FAR]],
    ["getStakeActivation", "getStakeActivation", [me]],
    ["requestAirdrop nonsense", "requestAirdrop", ["nonsense", 1]],
    ["requestAirdrop text", "requestAirdrop", [me, "1"]],
    ["requestAirdrop", "requestAirdrop", [me, LAMPORTS_PER_SOL]],
    ["requestAirdrop options", "requestAirdrop", [me, LAMPORTS_PER_SOL + 1, CONFIRMED]],
  ]
}

function accountCalls(on: Prepared): Call[] {
  const [me, mint, unused] = [on.payer.publicKey, on.mint.publicKey, on.unusedAddress].map((one) => one.toBase58())
  const [holding, table] = [on.tokenAccount.toBase58(), on.table.toBase58()]
  const program = TOKEN_2022
  const reads = [
    ["getAccountInfo", me],
    ["getAccountInfo", mint],
    ["getMultipleAccounts", [me, unused, holding]],
    ["getProgramAccounts", program],
    ["getBalance", me],
    ["getTokenSupply", mint],
    ["getTokenAccountBalance", holding],
    ["getTokenLargestAccounts", mint],
  ] as const
  const names = { [String(me)]: "wallet", [String(mint)]: "mint" }
  const label = (method: string, of: unknown) => `${method} ${names[String(of)] ?? ""}`.trim()
  return [
    ...reads.flatMap(([method, of]): Call[] => [
      [label(method, of), method, [of]],
      [`${label(method, of)} null`, method, [of, null]],
      [`${label(method, of)} far minContextSlot`, method, [of, { minContextSlot: FAR }]],
      [`${label(method, of)} reached minContextSlot`, method, [of, { minContextSlot: 1, ...CONFIRMED }]],
    ]),
    ...["getAccountInfo", "getBalance", "getTokenSupply", "getTokenAccountBalance", "getProgramAccounts"].flatMap(
      (method): Call[] => [
        [`${method} unused address`, method, [unused]],
        [`${method} nonsense`, method, ["nonsense"]],
        [`${method} number`, method, [1]],
        [`${method} nothing`, method, []],
      ],
    ),
    ...encodings.flatMap((encoding): Call[] => [
      [`getAccountInfo wallet in ${encoding}`, "getAccountInfo", [me, { encoding }]],
      [`getAccountInfo holding in ${encoding}`, "getAccountInfo", [holding, { encoding }]],
      [`getMultipleAccounts in ${encoding}`, "getMultipleAccounts", [[mint, unused], { encoding }]],
      [`getProgramAccounts in ${encoding}`, "getProgramAccounts", [program, { encoding }]],
    ]),
    ["getAccountInfo mint jsonParsed", "getAccountInfo", [mint, { encoding: "jsonParsed" }]],
    ["getAccountInfo nonce jsonParsed", "getAccountInfo", [on.nonce.publicKey.toBase58(), { encoding: "jsonParsed" }]],
    ["getAccountInfo table jsonParsed", "getAccountInfo", [table, { encoding: "jsonParsed" }]],
    [
      "getAccountInfo clock jsonParsed",
      "getAccountInfo",
      ["SysvarC1ock11111111111111111111111111111111", { encoding: "jsonParsed" }],
    ],
    [
      "getAccountInfo rent jsonParsed",
      "getAccountInfo",
      ["SysvarRent111111111111111111111111111111111", { encoding: "jsonParsed" }],
    ],
    [
      "getAccountInfo program",
      "getAccountInfo",
      [TOKEN_2022, { encoding: "base64", dataSlice: { offset: 0, length: 4 } }],
    ],
    ["getAccountInfo slice", "getAccountInfo", [mint, { dataSlice: { offset: 4, length: 8 }, encoding: "base58" }]],
    [
      "getAccountInfo slice beyond",
      "getAccountInfo",
      [mint, { dataSlice: { offset: 400, length: 8 }, encoding: "base64" }],
    ],
    ["getAccountInfo slice nonsense", "getAccountInfo", [mint, { dataSlice: { offset: -4 }, encoding: "base64" }]],
    ["getMultipleAccounts 101", "getMultipleAccounts", [Array(101).fill(me)]],
    ["getMultipleAccounts none", "getMultipleAccounts", [[]]],
    ["getMultipleAccounts nonsense", "getMultipleAccounts", [["nonsense"]]],
    ["getProgramAccounts withContext", "getProgramAccounts", [program, { withContext: true, encoding: "base64" }]],
    [
      "getProgramAccounts filters",
      "getProgramAccounts",
      [TOKEN_2022, { encoding: "base64", filters: [{ dataSize: 171 }, { memcmp: { offset: 0, bytes: mint } }] }],
    ],
    [
      "getProgramAccounts memcmp base64",
      "getProgramAccounts",
      [
        TOKEN_2022,
        {
          encoding: "base64",
          filters: [
            {
              memcmp: {
                offset: 0,
                bytes: on.mint.publicKey.toBuffer().toString("base64"),
                encoding: "base64",
              },
            },
          ],
        },
      ],
    ],
    [
      "getProgramAccounts tokenAccountState",
      "getProgramAccounts",
      [TOKEN_2022, { encoding: "base64", filters: ["tokenAccountState", { dataSize: 1 }] }],
    ],
    ["getProgramAccounts 5 filters", "getProgramAccounts", [TOKEN_2022, { filters: Array(5).fill({ dataSize: 1 }) }]],
    ["getProgramAccounts unknown filter", "getProgramAccounts", [TOKEN_2022, { filters: [{ nonsense: 1 }] }]],
    [
      "getProgramAccounts long memcmp",
      "getProgramAccounts",
      [TOKEN_2022, { filters: [{ memcmp: { offset: 0, bytes: bs58.encode(Buffer.alloc(129, 1)) } }] }],
    ],
    ["getProgramAccounts sorted", "getProgramAccounts", [program, { sortResults: true, encoding: "base64" }]],
    ["getTokenSupply wallet", "getTokenSupply", [me]],
    ["getTokenAccountBalance mint", "getTokenAccountBalance", [mint]],
    ["getTokenLargestAccounts wallet", "getTokenLargestAccounts", [me]],
    ...["getTokenAccountsByOwner", "getTokenAccountsByDelegate"].flatMap((method): Call[] => [
      [`${method} mint`, method, [me, { mint }, { encoding: "jsonParsed" }]],
      [`${method} program`, method, [me, { programId: TOKEN_2022 }, { encoding: "base64" }]],
      [`${method} no encoding`, method, [me, { programId: TOKEN_2022 }]],
      [
        `${method} other program`,
        method,
        [me, { programId: SystemProgram.programId.toBase58() }, { encoding: "base64" }],
      ],
      [`${method} no filter`, method, [me]],
      [`${method} both`, method, [me, { mint, programId: TOKEN_2022 }, { encoding: "base64" }]],
      [`${method} no mint`, method, [me, { mint: unused }, { encoding: "base64" }]],
    ]),
  ]
}

function historyCalls(on: Prepared): Call[] {
  const { airdrop, simple, tokens, failed, byNonce, byTable, unlooked, slots, unknown } = on
  const me = on.payer.publicKey.toBase58()
  const kinds = { simple, tokens, failed, byNonce, byTable, unlooked }
  const all = { maxSupportedTransactionVersion: 0 }
  return [
    ...Object.entries(kinds).flatMap(([kind, signature]): Call[] => [
      [`getTransaction ${kind}`, "getTransaction", [signature, all]],
      [`getTransaction ${kind} jsonParsed`, "getTransaction", [signature, { ...all, encoding: "jsonParsed" }]],
      [
        `getBlock of ${kind} accounts`,
        "getBlock",
        [slots[kind], { ...all, transactionDetails: "accounts", rewards: false }],
      ],
    ]),
    ...[...encodings, null].map(
      (encoding): Call => [`getTransaction in ${encoding}`, "getTransaction", [simple, { ...all, encoding }]],
    ),
    ["getTransaction text encoding", "getTransaction", [simple, "base64"]],
    ["getTransaction plain", "getTransaction", [simple]],
    ["getTransaction null", "getTransaction", [simple, null]],
    ["getTransaction confirmed", "getTransaction", [simple, CONFIRMED]],
    ["getTransaction processed", "getTransaction", [simple, { commitment: "processed" }]],
    ["getTransaction v0 plain", "getTransaction", [byTable]],
    ["getTransaction version 1", "getTransaction", [byTable, { maxSupportedTransactionVersion: 1 }]],
    ["getTransaction version text", "getTransaction", [byTable, { maxSupportedTransactionVersion: "0" }]],
    ["getTransaction version 256", "getTransaction", [byTable, { maxSupportedTransactionVersion: 256 }]],
    ["getTransaction unknown", "getTransaction", [unknown]],
    ["getTransaction short", "getTransaction", ["nonsense"]],
    ["getTransaction address", "getTransaction", [me]],
    ["getTransaction nothing", "getTransaction", []],
    ["getSignatureStatuses", "getSignatureStatuses", [[simple, unknown, failed], { searchTransactionHistory: true }]],
    ["getSignatureStatuses recent", "getSignatureStatuses", [[simple, failed]]],
    ["getSignatureStatuses none", "getSignatureStatuses", [[]]],
    ["getSignatureStatuses null", "getSignatureStatuses", [[simple], null]],
    ["getSignatureStatuses nonsense", "getSignatureStatuses", [["nonsense"]]],
    ["getSignatureStatuses 257", "getSignatureStatuses", [Array(257).fill(simple)]],
    ["getSignatureStatuses text", "getSignatureStatuses", [simple]],
    ["getSignaturesForAddress", "getSignaturesForAddress", [me]],
    [
      "getSignaturesForAddress of memo",
      "getSignaturesForAddress",
      [me, { until: airdrop, before: on.tokens, limit: 1 }],
    ],
    ["getSignaturesForAddress before the second", "getSignaturesForAddress", [me, { before: on.second }]],
    ["getSignaturesForAddress before the first", "getSignaturesForAddress", [me, { before: airdrop }]],
    ["getSignaturesForAddress unknown before", "getSignaturesForAddress", [me, { before: unknown }]],
    ["getSignaturesForAddress unknown until", "getSignaturesForAddress", [me, { until: unknown, limit: 1 }]],
    [
      "getSignaturesForAddress before null",
      "getSignaturesForAddress",
      [me, { before: null, until: null, limit: null }],
    ],
    ["getSignaturesForAddress nonsense before", "getSignaturesForAddress", [me, { before: "nonsense" }]],
    ["getSignaturesForAddress limit 0", "getSignaturesForAddress", [me, { limit: 0 }]],
    ["getSignaturesForAddress limit 1001", "getSignaturesForAddress", [me, { limit: 1001 }]],
    ["getSignaturesForAddress processed", "getSignaturesForAddress", [me, { commitment: "processed" }]],
    ["getSignaturesForAddress unused address", "getSignaturesForAddress", [Keypair.generate().publicKey.toBase58()]],
    ["getSignaturesForAddress nonsense", "getSignaturesForAddress", ["nonsense"]],
    ["getSignaturesForAddress far minContextSlot", "getSignaturesForAddress", [me, { minContextSlot: FAR }]],
    ["getBlock", "getBlock", [slots.simple, { ...all, rewards: true }]],
    ["getBlock signatures", "getBlock", [slots.simple, { transactionDetails: "signatures", rewards: false }]],
    ["getBlock none", "getBlock", [slots.simple, { transactionDetails: "none", rewards: false }]],
    ["getBlock jsonParsed", "getBlock", [slots.tokens, { ...all, encoding: "jsonParsed", rewards: false }]],
    ["getBlock base64", "getBlock", [slots.simple, { ...all, encoding: "base64", rewards: false }]],
    ["getBlock of v0 plain", "getBlock", [slots.byTable]],
    ["getBlock nonsense details", "getBlock", [slots.simple, { transactionDetails: "nonsense" }]],
    ["getBlock processed", "getBlock", [slots.simple, { commitment: "processed" }]],
    ["getBlock text encoding", "getBlock", [slots.simple, "base58"]],
    ["getBlock far", "getBlock", [FAR]],
    ["getBlock far confirmed", "getBlock", [FAR, CONFIRMED]],
    ["getBlock nothing", "getBlock", []],
    ["getBlock text", "getBlock", ["1"]],
    ["getBlocks", "getBlocks", [slots.simple, slots.simple + 2]],
    ["getBlocks options", "getBlocks", [slots.simple, CONFIRMED]],
    ["getBlocks all", "getBlocks", [slots.simple, slots.simple + 1, CONFIRMED]],
    ["getBlocks null", "getBlocks", [slots.simple, null]],
    ["getBlocks far", "getBlocks", [FAR]],
    ["getBlocks backwards", "getBlocks", [slots.simple, slots.simple - 1]],
    ["getBlocks too many", "getBlocks", [0, 500_001]],
    ["getBlocks processed", "getBlocks", [slots.simple, { commitment: "processed" }]],
    ["getBlocksWithLimit", "getBlocksWithLimit", [slots.simple, 3]],
    ["getBlocksWithLimit confirmed", "getBlocksWithLimit", [slots.simple, 2, CONFIRMED]],
    ["getBlocksWithLimit too many", "getBlocksWithLimit", [slots.simple, 500_001]],
    ["getBlockTime", "getBlockTime", [slots.simple]],
    ["getBlockTime far", "getBlockTime", [FAR]],
    ["getBlockTime nothing", "getBlockTime", []],
  ]
}

/** Adds what the calls need to the fixture. */
export async function prepare(fixture: Fixture) {
  const { connection, payer } = fixture
  const kinds = ["simple", "tokens", "failed", "byNonce", "byTable", "unlooked"] as const
  const slots: Record<string, number> = {}
  for (const kind of kinds) slots[kind] = await fixture.slotOf(fixture[kind])
  const { context } = await connection.getLatestBlockhashAndContext("confirmed")
  const [, second] = await connection.getSignaturesForAddress(payer.publicKey, { limit: 2 }, "finalized")
  const message = (await fixture.versioned([])).message.serialize()
  return {
    ...fixture,
    slots: slots as Record<string, number> & Record<(typeof kinds)[number], number>,
    unknown: bs58.encode(Buffer.alloc(64, 7)),
    latest: await fixture.blockhash(),
    blockhash: { slot: context.slot },
    second: second!.signature,
    wireMessage: Buffer.from(message).toString("base64"),
  }
}
export type Prepared = Awaited<ReturnType<typeof prepare>>

export const readCalls = (on: Prepared): Call[] => [...clusterCalls(on), ...accountCalls(on), ...historyCalls(on)]
