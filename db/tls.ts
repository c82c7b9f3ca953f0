import { readFile } from "node:fs/promises"
import { isIP, type Socket } from "node:net"
import { type ConnectionOptions, checkServerIdentity, connect as connectTls, type TLSSocket } from "node:tls"
import type { Host, Tls } from "./address.ts"
import { nextEvent } from "./wire.ts"

/** Encrypts a connection, and verifies its other end as `sslmode` requires. */
export async function encrypt(socket: Socket, host: Host, tls: Tls, signal: AbortSignal): Promise<TLSSocket> {
  const encrypted = connectTls({ socket, ...(await optionsFor(host, tls)) })
  encrypted.on("error", () => {})
  await nextEvent(encrypted, ["secureConnect", "close"], signal)
  if (encrypted.destroyed) throw new Error("the server closed the connection instead of encrypting it")
  return encrypted
}

async function optionsFor({ name }: Host, tls: Tls): Promise<ConnectionOptions> {
  const { rootCertificate, certificate, key, passphrase, revoked, leastVersion, mostVersion } = tls
  // Like libpq, uses an authority's certificate in every mode.
  const isVerified = tls.mode.startsWith("verify-") || (rootCertificate !== null && tls.mode !== "no-verify")
  return {
    servername: tls.sendsName && isIP(name) === 0 ? name : "",
    rejectUnauthorized: isVerified,
    checkServerIdentity: (_, presented) =>
      tls.mode === "verify-full" ? checkServerIdentity(name, presented) : undefined,
    ...(rootCertificate !== null && { ca: await pem("sslrootcert", rootCertificate) }),
    ...(certificate !== null && { cert: await pem("sslcert", certificate) }),
    ...(key !== null && { key: await pem("sslkey", key) }),
    ...(revoked !== null && { crl: await pem("sslcrl", revoked) }),
    ...(passphrase !== null && { passphrase }),
    ...(leastVersion !== null && { minVersion: leastVersion }),
    ...(mostVersion !== null && { maxVersion: mostVersion }),
    ...(tls.isDirect && { ALPNProtocols: ["postgresql"] }),
  }
}

/** Read each time, because authorities change while the process runs. */
async function pem(parameter: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (cause) {
    throw new Error(`${parameter} cannot be read: ${(cause as Error).message}`, { cause })
  }
}
