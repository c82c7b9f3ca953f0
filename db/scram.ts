import { createHash, createHmac, pbkdf2, randomBytes, type X509Certificate } from "node:crypto"
import { promisify } from "node:util"

const derive = promisify(pbkdf2)

/** The data that binds a password exchange to its TLS connection (RFC 5929, tls-server-end-point). */
export function bindingOf(certificate: X509Certificate): Buffer | null {
  const named = /(md5|sha1|sha224|sha256|sha384|sha512)/i.exec(certificate.signatureAlgorithm ?? "")?.[1]
  if (named === undefined) return null
  const hash = /^(md5|sha1)$/i.test(named) ? "sha256" : named.toLowerCase()
  return createHash(hash).update(certificate.raw).digest()
}

/**
 * The client's side of SCRAM-SHA-256 (RFC 5802, RFC 7677): its first message, its answer to the server's, and the
 * server's expected last message. `header` is `n,,` without channel binding, `y,,` if the server offers none, and
 * otherwise names it.
 */
export function startScram(password: string, header: string, binding: Buffer) {
  const nonce = randomBytes(18).toString("base64")
  const first = `n=*,r=${nonce}`
  return {
    first: header + first,
    async answer(server: string): Promise<{ final: string; expected: string }> {
      const { r = "", s = "", i = "" } = attributes(server)
      if (!r.startsWith(nonce) || r === nonce || s === "" || !/^[1-9]\d{0,6}$/.test(i))
        throw new Error("the server's answer to the password exchange is malformed")
      const salted = await derive(password.normalize("NFKC"), Buffer.from(s, "base64"), Number(i), 32, "sha256")
      const key = hmac(salted, "Client Key")
      const unsigned = `c=${Buffer.concat([Buffer.from(header), binding]).toString("base64")},r=${r}`
      const exchange = `${first},${server},${unsigned}`
      const signature = hmac(createHash("sha256").update(key).digest(), exchange)
      const proof = Buffer.from(key.map((byte, n) => byte ^ signature[n]!)).toString("base64")
      const expected = hmac(hmac(salted, "Server Key"), exchange).toString("base64")
      return { final: `${unsigned},p=${proof}`, expected: `v=${expected}` }
    },
  }
}

const attributes = (message: string): Record<string, string> =>
  Object.fromEntries(message.split(",").map((part) => [part[0], part.slice(2)]))

const hmac = (key: Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest()
