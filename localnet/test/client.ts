import {
  Connection,
  Keypair,
  type PublicKey,
  type Signer,
  SystemProgram,
  Transaction,
  type TransactionInstruction,
} from "@solana/web3.js"

/** Tools for tests, used by other folders too: a plain client, and waiting for a condition. */

export const SOL = 1_000_000_000

/** Repeats until there is a result. Without a limit, the test's own timeout ends the wait. */
export async function until<T>(
  ask: () => Promise<T | null | undefined | false>,
  limitMs = Number.POSITIVE_INFINITY,
): Promise<T> {
  for (const end = performance.now() + limitMs; performance.now() < end; ) {
    const found = await ask()
    if (found !== null && found !== undefined && found !== false) return found
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error(`no result in ${limitMs} ms: ${ask}`)
}

/** Closes the connection's WebSocket, which would otherwise reconnect until the process ends. */
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

/** Calls a method without a client library. Rejects when the connection breaks. */
export async function rpc(url: string, method: string, params: unknown[] = []): Promise<RpcAnswer> {
  return (await post(url, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }))).json() as Promise<RpcAnswer>
}

export const post = (url: string, body: string) =>
  fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body })
