import { hash } from "node:crypto"
import * as spl from "@solana/spl-token"
import { LAMPORTS_PER_SOL, type PublicKey, SystemProgram } from "@solana/web3.js"
import { addressOf, tokenAccountOf } from "./addresses.ts"
import { signerFromSeed } from "./keys.ts"
import type { Rpc } from "./rpc/rpc.ts"
import { signTransactions } from "./transaction.ts"

// A stablecoin to try payments with. It exists only on the embedded local network, where anyone may issue it: its keys
// derive from public text. Nothing of this is ever sent to a cluster.

const keyOf = (what: string) => signerFromSeed(hash("sha256", `vouch test dollar: ${what}`, "buffer"))
const issuer = keyOf("issuer")
const mint = keyOf("mint")
const programId = spl.TOKEN_PROGRAM_ID

export const TEST_DOLLAR = addressOf(mint.publicKey)
export const TEST_DOLLAR_DECIMALS = 6

/** What the issuer has to pay fees and rent with, in lamports. */
const ENOUGH = LAMPORTS_PER_SOL
const TRIES = 600

/** Gives test dollars to an owner on the embedded network, in base units. The first call also creates the mint. */
export async function issueTestDollars(
  rpc: Rpc,
  { owner, amount, pause }: { owner: PublicKey; amount: bigint; pause: () => Promise<void> },
): Promise<void> {
  const read = () => rpc.accounts([issuer.publicKey, mint.publicKey], { since: 0 })
  let [payer, existing] = (await read()).value
  if ((payer?.lamports ?? 0) < ENOUGH) await rpc.airdrop(issuer.publicKey, 100 * LAMPORTS_PER_SOL)
  for (let n = 0; (payer?.lamports ?? 0) < ENOUGH && n < TRIES; n++) {
    await pause()
    ;[payer, existing] = (await read()).value
  }
  const account = tokenAccountOf(mint.publicKey, owner, programId)
  const creation = [
    SystemProgram.createAccount({
      fromPubkey: issuer.publicKey,
      newAccountPubkey: mint.publicKey,
      lamports: await rpc.rentOf(spl.MINT_SIZE),
      space: spl.MINT_SIZE,
      programId,
    }),
    spl.createInitializeMint2Instruction(mint.publicKey, TEST_DOLLAR_DECIMALS, issuer.publicKey, issuer.publicKey),
  ]
  const instructions = [
    ...(existing ? [] : creation),
    spl.createAssociatedTokenAccountIdempotentInstruction(issuer.publicKey, account, owner, mint.publicKey, programId),
    spl.createMintToCheckedInstruction(mint.publicKey, account, issuer.publicKey, amount, TEST_DOLLAR_DECIMALS),
  ]
  const { blockhash } = (await rpc.latestBlockhash({ since: 0 })).value
  const unsigned = { instructions, signers: existing ? [] : [mint] }
  const [signed] = await signTransactions([unsigned], { feePayer: issuer, blockhash })
  rpc.nodes.send(signed!.wire)
  for (let n = 0; n < TRIES; n++) {
    const [status] = (await rpc.statuses([signed!.signature])).value
    if (status?.err) throw new Error(`the local network refused it: ${JSON.stringify(status.err)}`)
    if (status && status.confirmationStatus !== "processed") return
    await pause()
  }
  throw new Error("the local network did not confirm it")
}
