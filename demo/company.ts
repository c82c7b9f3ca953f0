import { createHash } from "node:crypto"
import { Keypair } from "@solana/web3.js"
import type { Claims } from "#shared/claims.ts"

// Harbour Capital, an invented company. Its data are constants, so that an interrupted run continues where it stopped.

export const ACCOUNT = "Harbour Capital"

/** The first is the owner. */
export const members = [
  { name: "Olivia Owner", email: "olivia@harbour.example", role: "owner" },
  { name: "Carl Compliance", email: "carl@harbour.example", role: "compliance" },
  { name: "Dana Developer", email: "dana@harbour.example", role: "developer" },
] as const

/**
 * What the provider decides about an investor. Open: the investor has not finished yet. An approval is as old as the
 * provider says, and its validity of a year counts from there.
 */
type Decision = { approvedDaysAgo: number } | "rejected" | "open" | { inReview: string }

export type Investor = { name: string; wallet: string; claims: Claims; decision: Decision }

/** A wallet that is the same in each run. Its key is public, so it is only good for a local network. */
export const walletOf = (name: string): string => {
  const seed = createHash("sha256").update(`Harbour Capital/${name}`).digest()
  return Keypair.fromSeed(seed).publicKey.toBase58()
}

/** Spread over the last six weeks, and the same in each run. */
const someDaysAgo = (name: string): Decision => {
  const hash = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 0)
  return { approvedDaysAgo: 1 + (hash % 42) }
}

const investor = (
  name: string,
  country: string,
  accredited: boolean,
  decision: Decision = someDaysAgo(name),
): Investor => ({
  name,
  wallet: walletOf(name),
  claims: { country, accredited, age_over_18: true },
  decision,
})

export const investors: Investor[] = [
  investor("emma-larsson-1008", "SE", true),
  investor("oskar-lindqvist-1014", "SE", true),
  investor("lucas-moreau-1021", "FR", true),
  investor("sofia-rossi-1022", "IT", true),
  investor("hannah-fischer-1030", "DE", true),
  investor("noah-williams-1033", "US", true),
  investor("ava-johnson-1034", "US", true),
  investor("liam-brown-1037", "US", false),
  investor("mia-davis-1038", "US", true),
  investor("yuki-tanaka-1041", "JP", true),
  investor("haruto-sato-1042", "JP", false),
  investor("olivia-tan-1047", "SG", true),
  investor("daniel-okafor-1050", "NG", false),
  investor("isabella-silva-1052", "BR", true),
  investor("mateo-garcia-1055", "ES", true),
  investor("lea-dubois-1058", "BE", false),
  investor("jan-de-vries-1060", "NL", true),
  investor("anna-kowalska-1063", "PL", true),
  investor("family-office-2", "CH", true),
  investor("nordic-pension-7", "DK", true),
  investor("harbour-employees-1", "US", true),
  investor("summit-ventures-4", "GB", true),
  investor("atlas-holdings-9", "LU", true),
  investor("meridian-trust-3", "IE", true),
  investor("cedar-partners-5", "CA", true),
  investor("baltic-growth-6", "EE", true),
  investor("clara-nielsen-1101", "DK", true),
  investor("matteo-ricci-1102", "IT", true),
  investor("elena-popescu-1103", "RO", false),
  investor("tomas-horak-1104", "CZ", true),
  investor("ingrid-berg-1105", "NO", true),
  investor("pedro-almeida-1106", "PT", false),
  investor("sarah-oconnor-1107", "IE", true),
  investor("james-walker-1108", "GB", true),
  investor("marie-laurent-1109", "FR", true),
  investor("felix-wagner-1110", "DE", true),
  investor("aino-korhonen-1111", "FI", false),
  investor("david-cohen-1112", "IL", true),
  investor("lucia-fernandez-1113", "ES", true),
  investor("min-jun-park-1114", "KR", true),
  investor("emily-nguyen-1115", "AU", true),
  investor("rajesh-mehta-1116", "SG", true),
  investor("astrid-jensen-1117", "DK", false),
  investor("oliver-huber-1118", "CH", true),
  investor("katarina-kovac-1119", "SI", true),
  investor("william-scott-1120", "US", true),
  // Due for renewal: in four days, and within minutes after the demo is ready.
  investor("beatriz-costa-1121", "PT", true, { approvedDaysAgo: 361 }),
  investor("henrik-olsen-1122", "NO", true, { approvedDaysAgo: 365 - 2 / (24 * 60) }),
  investor("ethan-miller-1071", "US", false, "rejected"),
  investor("zoe-martin-1072", "FR", false, "rejected"),
  investor("pavel-novak-1074", "CZ", true, {
    inReview:
      "PEP screening: 1 possible match. Pavel Novák, born 1974 in Olomouc, member of a regional assembly until 2020. Name and year of birth match, place of birth differs. Score 78 of 100.",
  }),
  investor("fatima-hassan-1076", "AE", true, { inReview: "Document: the photo page is partly covered" }),
  investor("george-papadopoulos-1079", "GR", false, { inReview: "Name differs from the bank account's holder" }),
  investor("chloe-wilson-1080", "US", true, {
    inReview:
      "Sanctions screening: 1 possible match. Chloe Wilson, born 1961, listed since 2019 by OFAC. The name matches, year of birth and nationality differ. Score 61 of 100.",
  }),
  investor("ivan-petrov-1083", "BG", true, { inReview: "Address: the document is older than three months" }),
  investor("grace-kim-1085", "KR", true, { inReview: "Selfie: similarity is low" }),
  investor("amelia-clark-1088", "GB", false, "open"),
  investor("jack-taylor-1090", "US", false, "open"),
  investor("nina-schmidt-1091", "AT", true, "open"),
]

/** Those whose verification is valid while the demo mints. */
const approved = investors.filter(
  ({ decision }) => typeof decision === "object" && "approvedDaysAgo" in decision && decision.approvedDaysAgo < 364,
)

/** Second wallets. The provider reports another country for one, which contradicts the first report. */
export const secondWallets: Investor[] = [
  { ...investor("oskar-lindqvist-1014", "DK", true), wallet: walletOf("oskar-lindqvist-1014, second") },
  { ...investor("family-office-2", "CH", true), wallet: walletOf("family-office-2, second") },
]

export const INCOME = "harbour_income_fund"
const SOLAR = "solar_notes_2030"

export const tokens = [
  {
    id: INCOME,
    name: "Harbour Income Fund",
    symbol: "HIF",
    decimals: 2,
    required_schema: "kyc_individual_v1",
    rules: {
      blocked_countries: ["IR", "KP", "MM", "NG"],
      require_accredited: true,
      max_balance_per_investor: "500000",
    },
  },
  {
    id: SOLAR,
    name: "Solar Notes 2030",
    symbol: "SOL30",
    decimals: 0,
    required_schema: "kyc_individual_v1",
    rules: { blocked_countries: ["IR", "KP", "MM"], min_balance: "100", max_holders: 99 },
  },
]

type Mint = { wallet: string; mint_config: string; amount: string }

const amountOf = (n: number): string => String(2500 + ((n * 7919) % 97) * 250)

const eligible = ({ claims }: Investor) => claims.accredited === true && claims.country !== "NG"

export const mints: Mint[] = [
  ...approved
    .filter(eligible)
    .map(({ wallet }, n): Mint => ({ wallet, mint_config: INCOME, amount: `${amountOf(n)}.50` })),
  ...approved.slice(0, 12).map(({ wallet }, n): Mint => ({ wallet, mint_config: SOLAR, amount: amountOf(n + 31) })),
  { wallet: secondWallets[1]!.wallet, mint_config: INCOME, amount: "90000" },
  { wallet: walletOf("ava-johnson-1034"), mint_config: "us_real_estate_fund_v1", amount: "1200" },
]

export const transfers = [
  { from: "emma-larsson-1008", to: "lucas-moreau-1021", mint_config: INCOME, amount: "500" },
  { from: "sofia-rossi-1022", to: "hannah-fischer-1030", mint_config: INCOME, amount: "750.25" },
  { from: "noah-williams-1033", to: "ava-johnson-1034", mint_config: INCOME, amount: "1000" },
  { from: "nordic-pension-7", to: "family-office-2", mint_config: INCOME, amount: "2500" },
  { from: "emma-larsson-1008", to: "yuki-tanaka-1041", mint_config: SOLAR, amount: "300" },
]
