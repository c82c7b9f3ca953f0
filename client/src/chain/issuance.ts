import { MEMO, TOKEN_2022 } from "./address.ts"
import { type Instruction, type Node, PAGE, type Transaction } from "./connection.ts"

/** What the issuer wrote beside the unit that it gave. */
export type Issuance = {
  attestationId: string
  commitment: string
  /** Unix seconds. */
  expiresAt: number
  transaction: string
}

/** `vouch:1:<attestation_id>:<commitment>:<expiry unix>` (docs/contract.md). */
const MEMO_TEXT = /^vouch:1:(att_[1-9A-HJ-NP-Za-km-z]{16,22}):([\w-]{43}):(\d{1,12})$/
/** The instruction of Token-2022 that gives units, and that it gives one. */
const MINT_ONE = [7, 1, 0, 0, 0, 0, 0, 0, 0]

/** Anybody can name the account in a transaction, and copy a memo into it: how much of that is looked at. */
const MOST_PAGES = 10
const MOST_TRANSACTIONS = 200

type Credential = { issuers: readonly string[]; mint: string; tokenAccount: string }

/** The latest transaction of the issuer that gave the account its unit; null where there is none. */
export async function findIssuance(node: Node, credential: Credential): Promise<Issuance | null> {
  let looked = 0
  let before: string | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const list = await node.signatures(credential.tokenAccount, before)
    for (const { signature, failed, memo } of list) {
      if (failed || !memo.includes("vouch:1:att_")) continue
      if (++looked > MOST_TRANSACTIONS) throw new Error("The account's history is too long to be read.")
      const transaction = await node.transaction(signature)
      if (transaction === null) throw new Error("The node lists a transaction that it does not know.")
      const issuance = issuanceIn(transaction, credential)
      if (issuance) return { ...issuance, transaction: signature }
    }
    before = list.at(-1)?.signature
    if (list.length < PAGE) return null
  }
  throw new Error("The account's history is too long to be read.")
}

/** What a transaction of the issuer says of the account's unit: its memo stands directly before the instruction. */
function issuanceIn(
  { failed, signers, instructions }: Transaction,
  { issuers, mint, tokenAccount }: Credential,
): Omit<Issuance, "transaction"> | null {
  if (failed) return null
  const gives = ({ program, accounts, data }: Instruction): boolean =>
    program === TOKEN_2022 &&
    data.length === MINT_ONE.length &&
    MINT_ONE.every((byte, at) => data[at] === byte) &&
    accounts[0] === mint &&
    accounts[1] === tokenAccount &&
    issuers.includes(accounts[2]!) &&
    signers.includes(accounts[2]!)
  for (let at = instructions.length - 1; at > 0; at--) {
    const memo = instructions[at - 1]!
    if (!gives(instructions[at]!) || memo.program !== MEMO) continue
    const [, attestationId, commitment, expiry] = MEMO_TEXT.exec(new TextDecoder().decode(memo.data)) ?? []
    if (attestationId && commitment) return { attestationId, commitment, expiresAt: Number(expiry) }
  }
  return null
}
