import { type Answer, newKey, startKeyService } from "./key-service.ts"

const TOKEN = "hvs.CAESIVouchTestToken"
const NAMESPACE = "team/vouch"

const refusal = (status: number, ...errors: string[]): Answer => ({ status, json: { errors } })

/**
 * The part of HashiCorp Vault's transit engine that a signer uses
 * (https://developer.hashicorp.com/vault/api-docs/secret/transit#sign-data). Version 1 of its key is old.
 */
export async function startVault() {
  const old = newKey()
  const key = newKey()
  const service = await startKeyService(
    ({ method, url, headers, body }, { of }) => {
      if (headers["x-vault-token"] !== TOKEN || headers["x-vault-namespace"] !== NAMESPACE)
        return refusal(403, "permission denied")
      const [, action, name] = /^\/v1\/transit\/(keys|sign)\/([\w.-]+)$/.exec(url.pathname) ?? []
      if (!action) return refusal(404)
      const versions = new Map([
        [1, of(old)],
        [2, of(key)],
      ])
      if (method === "GET" && action === "keys") {
        if (name !== "vouch") return refusal(404)
        const keys = [...versions].map(([version, one]) => [
          version,
          {
            name: "ed25519",
            public_key: one.raw.toString("base64"),
            creation_time: new Date().toISOString(),
          },
        ])
        return {
          status: 200,
          json: {
            data: { type: "ed25519", derived: false, latest_version: 2, keys: Object.fromEntries(keys) },
          },
        }
      }
      if (method !== "POST" || action !== "sign") return refusal(405, "unsupported operation")
      if (name !== "vouch") return refusal(400, "signing key not found")
      const { input, key_version: version, ...others } = JSON.parse(body.toString("utf8"))
      if (Object.keys(others).length > 0 || typeof input !== "string" || !/^[A-Za-z0-9+/]*={0,2}$/.test(input))
        return refusal(400, "unable to decode input as base64")
      const signing = versions.get(version)
      if (!signing) return refusal(400, "cannot sign: version is too new (disallowed by policy)")
      const signature = signing.sign(Buffer.from(input, "base64")).toString("base64")
      return {
        status: 200,
        json: { data: { signature: `vault:v${version}:${signature}`, key_version: version } },
      }
    },
    refusal(503, "Vault is sealed"),
  )
  return {
    ...service,
    key,
    uri: `vault:${service.origin}/transit/keys/vouch?version=2`,
    environment: { VAULT_TOKEN: TOKEN, VAULT_NAMESPACE: NAMESPACE },
    secret: TOKEN,
  }
}
