import { userInfo } from "node:os"
import { didYouMean } from "#server/lib/did-you-mean.ts"
import { choices, parameters } from "./url-parameters.ts"

// Parses a database's address like libpq (https://www.postgresql.org/docs/18/libpq-connect.html#LIBPQ-CONNSTRING-URIS).
// All connections of Vouch start here. `URL` does not support several hosts, and reads # and + differently.

/** One server that may serve the database. */
export type Host = {
  /** Its name, which its certificate must match; or the directory of a Unix socket. */
  name: string
  /** Its IP address, to skip the lookup of the name. */
  ip: string | null
  port: number
}

export type Tls = {
  mode: (typeof choices)["sslmode"][number]
  /** PEM files. Without `rootCertificate`, the public authorities that Node knows. */
  rootCertificate: string | null
  certificate: string | null
  key: string | null
  passphrase: string | null
  revoked: string | null
  leastVersion: "TLSv1.2" | "TLSv1.3" | null
  mostVersion: "TLSv1.2" | "TLSv1.3" | null
  sendsName: boolean
  /** Starts TLS without asking the server first; needs PostgreSQL 17 or newer. */
  isDirect: boolean
}

export type DatabaseAddress = {
  /** In the order to try them. */
  hosts: Host[]
  user: string
  password: string
  database: string
  tls: Tls
  channelBinding: (typeof choices)["channel_binding"][number]
  /** Whether only a server that accepts writes will do. */
  needsPrimary: boolean
  connectTimeout_ms: number
  /** Idle seconds before the first keepalive; null without keepalives. */
  keepAlive_s: number | null
  applicationName: string | null
  options: string | null
  /** Parameters for other programs, which are ignored. */
  ignored: string[]
}

/** The rest of a sentence that starts with the name of the setting. Never contains a password. */
export class AddressError extends Error {}

const DEFAULT_PORT = 5432
const CONNECT_WITHIN_S = 5
const KEEP_ALIVE_S = 5

const known = new Map<string, DatabaseAddress>()

/** Parses the address in a URL. Throws AddressError. */
export function addressOf(url: string): DatabaseAddress {
  let address = known.get(url)
  if (!address) {
    address = parse(url)
    known.set(url, address)
  }
  return address
}

function parse(url: string): DatabaseAddress {
  const { authority, path, query } = split(url)
  const at = authority.indexOf("@")
  const [user, password] = cut(at < 0 ? "" : authority.slice(0, at), ":")
  const { given, ignored } = readQuery(query)
  const hosts = readHosts(authority.slice(at + 1), given)
  // Like every PostgreSQL client, fills in the rest from environment variables.
  const { PGUSER, PGPASSWORD, PGDATABASE } = process.env
  const name = given.user ?? (decode(user, "the user name") || PGUSER || userInfo().username)
  return {
    hosts,
    user: name,
    password: given.password ?? (decode(password, "the password") || PGPASSWORD || ""),
    database: given.dbname ?? (decode(path, "the name of the database") || PGDATABASE || name),
    tls: readTls(given, hosts),
    channelBinding: choose("channel_binding", given) ?? "prefer",
    needsPrimary: hosts.length > 1 || (choose("target_session_attrs", given) ?? "any") !== "any",
    connectTimeout_ms: (seconds("connect_timeout", given) || CONNECT_WITHIN_S) * 1000,
    keepAlive_s: given.keepalives === "0" ? null : seconds("keepalives_idle", given) || KEEP_ALIVE_S,
    applicationName: given.application_name ?? given.fallback_application_name ?? null,
    options: given.options ?? null,
    ignored,
  }
}

/** Like libpq, ends the user name and password at the first @, even if they contain a ? or a #. */
function split(url: string): { authority: string; path: string; query: string } {
  const scheme = /^postgres(?:ql)?:\/\//.exec(url)?.[0]
  if (scheme === undefined)
    throw new AddressError("must be an address such as postgres://user:password@host:5432/vouch")
  const text = url.slice(scheme.length)
  const at = /^[^@/]*@/.exec(text)?.[0].length ?? 0
  const end = text.slice(at).search(/[/?]/)
  const [authority, rest] = end < 0 ? [text, ""] : [text.slice(0, at + end), text.slice(at + end)]
  const [path, query] = cut(rest, "?")
  if (at === 0 && path.includes("@"))
    throw new AddressError("has a / in the user name or password that must be written as %2F")
  if (authority.indexOf("@", at) >= 0)
    throw new AddressError("has an @ in the user name or password that must be written as %40")
  return { authority, path: path.slice(1), query }
}

/** The parts before and after the first `mark`. The second is empty if there is none. */
function cut(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)]
}

function decode(text: string, what: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new AddressError(`has a % in ${what} that must be written as %25`)
  }
}

function readQuery(query: string): { given: Record<string, string>; ignored: string[] } {
  const given: Record<string, string> = {}
  const ignored: string[] = []
  for (const part of query.split("&").filter(Boolean)) {
    const [rawName, rawValue] = cut(part, "=")
    const name = decode(rawName, "the name of a parameter")
    const value = decode(rawValue, `the parameter ${name}`)
    const use = Object.hasOwn(parameters, name) ? parameters[name]! : null
    if (use === null) {
      throw new AddressError(
        `has the unknown parameter ${name}.${didYouMean(name, Object.keys(parameters))} Vouch reads the parameters of libpq (docs/production.md#database)`,
      )
    }
    if (use === "ignored") ignored.push(name)
    else if (typeof use === "object" && !use.accepts.includes(value)) {
      throw new AddressError(`cannot use the parameter ${name}: ${use.otherwise}`)
    } else if (value !== "") given[name] = value
  }
  return { given, ignored }
}

function readHosts(authority: string, given: Record<string, string>): Host[] {
  const listed = authority === "" ? [] : authority.split(",").map(readHost)
  const names = given.host?.split(",") ?? listed.map(({ name }) => name)
  const ips = given.hostaddr?.split(",") ?? []
  const ports = given.port?.split(",").map(readPort) ?? listed.map(({ port }) => port)
  const count = Math.max(names.length, ips.length, 1)
  if (ips.length > 0 && names.length > 0 && ips.length !== names.length)
    throw new AddressError("must have as many addresses in hostaddr as hosts")
  if (ports.length > 1 && ports.length !== count) throw new AddressError("must have as many ports as hosts")
  return Array.from({ length: count }, (_, n) => ({
    name: names[n] || ips[n] || process.env.PGHOST || "localhost",
    ip: ips[n] || null,
    port: ports[ports.length === 1 ? 0 : n] ?? DEFAULT_PORT,
  }))
}

function readHost(text: string): { name: string; port: number } {
  const [, six, name, port] = /^(?:\[([0-9a-fA-F:.%]+)\]|([^:[\]]*))(?::(.*))?$/.exec(text) ?? []
  if (six === undefined && name === undefined)
    throw new AddressError("has an invalid host; write an IPv6 address in brackets")
  return { name: decode(six ?? name!, "the host"), port: port === undefined ? DEFAULT_PORT : readPort(port) }
}

function readPort(text: string): number {
  const port = text === "" ? DEFAULT_PORT : Number(text)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    // The message does not repeat it: if a password contains a /, this is part of it.
    throw new AddressError("has a port that is not a number from 1 to 65535 (write an IPv6 address in brackets)")
  return port
}

function readTls(given: Record<string, string>, hosts: Host[]): Tls {
  const rootCertificate = given.sslrootcert ?? null
  const usesPublic = rootCertificate === "system"
  const mode = choose("sslmode", given) ?? asMode(choose("ssl", given)) ?? (usesPublic ? "verify-full" : "prefer")
  if (usesPublic && mode !== "verify-full")
    throw new AddressError(
      "has sslrootcert=system without sslmode=verify-full: otherwise any certificate of a public authority would be accepted",
    )
  if (mode === "verify-ca" && rootCertificate === null)
    throw new AddressError(
      "has sslmode=verify-ca without sslrootcert, a file with the authority's certificate; for a certificate of a public authority, use sslmode=verify-full",
    )
  if (Boolean(given.sslcert) !== Boolean(given.sslkey))
    throw new AddressError("has only one of sslcert and sslkey: set both or neither")
  const isDirect = choose("sslnegotiation", given) === "direct"
  if (isDirect && !["require", "no-verify", "verify-ca", "verify-full"].includes(mode))
    throw new AddressError("has sslnegotiation=direct without sslmode=require, verify-ca or verify-full")
  return {
    // A Unix socket has no TLS.
    mode: hosts.every(isSocket) ? "disable" : mode,
    rootCertificate: usesPublic ? null : rootCertificate,
    certificate: given.sslcertmode === "disable" ? null : (given.sslcert ?? null),
    key: given.sslcertmode === "disable" ? null : (given.sslkey ?? null),
    passphrase: given.sslpassword ?? null,
    revoked: given.sslcrl ?? null,
    leastVersion: choose("ssl_min_protocol_version", given) ?? null,
    mostVersion: choose("ssl_max_protocol_version", given) ?? null,
    sendsName: given.sslsni !== "0",
    isDirect,
  }
}

/** Whether it is the directory of a Unix socket. */
export const isSocket = ({ name, ip }: Host): boolean => ip === null && name.startsWith("/")

/** `ssl` belongs to drivers other than libpq. */
const asMode = (ssl: (typeof choices)["ssl"][number] | undefined): Tls["mode"] | undefined => {
  if (ssl === undefined) return undefined
  if (ssl === "no-verify") return ssl
  return ssl === "true" || ssl === "1" ? "require" : "disable"
}

/** A parameter with a few allowed values. */
function choose<Name extends keyof typeof choices>(
  name: Name,
  given: Record<string, string>,
): (typeof choices)[Name][number] | undefined {
  const value = given[name]
  if (value === undefined) return undefined
  const values: readonly string[] = choices[name]
  if (!values.includes(value))
    throw new AddressError(`has an invalid ${name}: it must be ${values.slice(0, -1).join(", ")} or ${values.at(-1)}`)
  return value as (typeof choices)[Name][number]
}

function seconds(name: string, given: Record<string, string>): number {
  const value = Number(given[name] ?? 0)
  if (!Number.isInteger(value) || value < 0 || value > 3600)
    throw new AddressError(`has an invalid ${name}: it must be a whole number of seconds, at most 3600`)
  return value
}
