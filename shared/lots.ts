// What is recorded about the units that a wallet acquires.

/** The exemption from registration under which units were issued, with its name on screens. */
export const exemptionNames = {
  none: "None",
  reg_d_506b: "Regulation D, Rule 506(b)",
  reg_d_506c: "Regulation D, Rule 506(c)",
  reg_s: "Regulation S",
  reg_a: "Regulation A",
  eu_exempt: "EU prospectus exemption",
} as const
export type Exemption = keyof typeof exemptionNames
export const exemptions = Object.keys(exemptionNames) as [Exemption, ...Exemption[]]
