import { readFileSync } from "node:fs"
import { ask, bytesOf } from "./ask.ts"
import { defineScheme, type KeyService, SignerFailure, WrongSigner } from "./definition.ts"

const LABEL = "Vault"
const PATH = /^\/((?:[\w.-]+\/)*[\w.-]+)\/keys\/([\w.-]+)$/
const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"])

type Place = { origin: string; mount: string; name: string; version: number }

/** A key of HashiCorp Vault's transit engine (ed25519). Its token is in VAULT_TOKEN_FILE or VAULT_TOKEN. */
export const vault = defineScheme({
  scheme: "vault",
  label: LABEL,
  example: "vault:https://vault.example.com:8200/transit/keys/vouch-live?version=1",
  read(rest): Place {
    if (!URL.canParse(rest)) throw new WrongSigner("what follows vault: must be an address")
    const { protocol, hostname, origin, username, password, pathname, searchParams, hash } = new URL(rest)
    if (username !== "" || password !== "" || hash !== "")
      throw new WrongSigner("it must not contain a token or password: set VAULT_TOKEN_FILE or VAULT_TOKEN")
    if (protocol !== "https:" && !(protocol === "http:" && LOOPBACK.has(hostname)))
      throw new WrongSigner("Vault must be reached by https, so that its token cannot be overheard")
    const [, mount, name] = PATH.exec(pathname) ?? []
    if (mount === undefined || name === undefined)
      throw new WrongSigner("the path must be /<mount>/keys/<name>, such as /transit/keys/vouch-live")
    const { version, ...others } = Object.fromEntries(searchParams)
    if (!/^[1-9]\d{0,8}$/.test(version ?? "") || Object.keys(others).length > 0)
      throw new WrongSigner("it must end with ?version=…, because each version of a key is another key")
    return { origin, mount, name, version: Number(version) }
  },
  open: (place) => ({ service: serviceOf(place) }),
})

function serviceOf({ origin, mount, name, version }: Place): KeyService {
  const call = async (path: string, signal: AbortSignal, body?: object) => {
    const url = `${origin}/v1/${mount}/${path}/${name}`
    const question = { label: LABEL, url, headers: headers(), signal, reasonOf, ...(body && { body }) }
    return ((await ask(question)) as { data?: Record<string, unknown> }).data ?? {}
  }
  return {
    async publicKey(signal) {
      const { type, derived, keys } = await call("keys", signal)
      if (type !== "ed25519" || derived === true)
        throw new SignerFailure(`${LABEL} has a key of type ${type}, not a plain ed25519`)
      const key = (keys as Record<string, { public_key?: string }> | undefined)?.[version]
      return bytesOf(LABEL, key?.public_key, 32)
    },
    async sign(message, signal) {
      const input = Buffer.from(message).toString("base64")
      const { signature } = await call("sign", signal, { input, key_version: version })
      const prefix = `vault:v${version}:`
      if (typeof signature !== "string" || !signature.startsWith(prefix))
        throw new SignerFailure(`${LABEL} answered without a signature of version ${version}`)
      return bytesOf(LABEL, signature.slice(prefix.length), 64)
    },
  }
}

/** Reads a token file each time: Vault's agent renews the token there. */
function headers(): Record<string, string> {
  const { VAULT_TOKEN_FILE, VAULT_TOKEN, VAULT_NAMESPACE } = process.env
  let token = VAULT_TOKEN
  if (VAULT_TOKEN_FILE) {
    try {
      token = readFileSync(VAULT_TOKEN_FILE, "utf8").trim()
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      throw new SignerFailure(`${LABEL}: VAULT_TOKEN_FILE cannot be read: ${code}`)
    }
  }
  if (!token) throw new SignerFailure(`${LABEL}: set VAULT_TOKEN_FILE or VAULT_TOKEN`)
  return {
    "x-vault-token": token,
    "x-vault-request": "true",
    ...(VAULT_NAMESPACE && { "x-vault-namespace": VAULT_NAMESPACE }),
  }
}

const reasonOf = (answer: unknown): string | null =>
  (answer as { errors?: string[] } | undefined)?.errors?.join(", ") || null
