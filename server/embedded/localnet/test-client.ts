import {
  Connection,
  Keypair,
  type PublicKey,
  type Signer,
  SystemProgram,
  Transaction,
  type TransactionInstruction,
} from "@solana/web3.js"

/** What the tests beside this file share: a plain client, and waiting for what will happen. */

export const SOL = 1_000_000_000

export async function until<T>(look: () => Promise<T | null | undefined | false>): Promise<T> {
  for (;;) {
    const found = await look()
    if (found !== null && found !== undefined && found !== false) return found
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Its WebSocket would try to connect again for as long as the process lives. */
export async function disconnect(connection: Connection) {
  const inner = connection as unknown as {
    _rpcWebSocket: { close(): void; setAutoReconnect?(on: boolean): void }
  }
  inner._rpcWebSocket.setAutoReconnect?.(false)
  inner._rpcWebSocket.close()
}

export const plainConnection = (url: string) =>
  new Connection(url, { commitment: "confirmed", disableRetryOnRateLimit: true })

export async function confirmed(connection: Connection, signature: string) {
  return until(async () => {
    const status = (await connection.getSignatureStatus(signature)).value
    return status?.confirmationStatus === "processed" ? null : status
  })
}

export async function fundedWallet(connection: Connection, sol = 10): Promise<Keypair> {
  const wallet = Keypair.generate()
  await confirmed(connection, await connection.requestAirdrop(wallet.publicKey, sol * SOL))
  return wallet
}

export async function signed(
  connection: Connection,
  instructions: TransactionInstruction[],
  signers: [Signer, ...Signer[]],
): Promise<Buffer> {
  const transaction = new Transaction().add(...instructions)
  transaction.feePayer = signers[0].publicKey
  transaction.recentBlockhash = (await connection.getLatestBlockhash("confirmed")).blockhash
  transaction.sign(...signers)
  return transaction.serialize()
}

export const transfer = (from: PublicKey, to: PublicKey, lamports: number) =>
  SystemProgram.transfer({ fromPubkey: from, toPubkey: to, lamports })

type RpcAnswer = {
  result?: unknown
  error?: { code: number; message: string; data?: Record<string, unknown> }
}

/** A call without a client in between; rejects when the connection breaks. */
export async function rpc(url: string, method: string, params: unknown[] = []): Promise<RpcAnswer> {
  return (
    await post(url, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }))
  ).json() as Promise<RpcAnswer>
}

export const post = (url: string, body: string) =>
  fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body })
