import { type Connection, type Keypair, Transaction, type TransactionInstruction } from "@solana/web3.js"

/**
 * Sends a holder's own transaction, with plain web3.js. Its `sendAndConfirmTransaction` keeps a blockhash for 30 s,
 * which is ten times as long as one lives where a slot takes 20 ms.
 */
export async function sendOwn(
  connection: Connection,
  signers: Keypair[],
  ...instructions: TransactionInstruction[]
): Promise<string> {
  const latest = await connection.getLatestBlockhash("confirmed")
  const transaction = new Transaction({ ...latest, feePayer: signers[0]!.publicKey }).add(...instructions)
  transaction.sign(...signers)
  const signature = await connection.sendRawTransaction(transaction.serialize())
  const { value } = await connection.confirmTransaction({ signature, ...latest }, "confirmed")
  if (value.err) throw new Error(JSON.stringify(value.err))
  return signature
}
