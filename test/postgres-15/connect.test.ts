import type postgres from "postgres"
import { afterAll, afterEach, beforeAll, expect, inject, test } from "vitest"
import { checkDatabase, checkSession } from "#db/check.ts"
import { openClient, type Types } from "#db/connection.ts"
import { type Cluster, Machine, PASSWORD, startCluster, startPgbouncer, startStandby } from "./processes.ts"

// Addresses in libpq's form, tried with Debian's Postgres 15: which ones connect, how, and the errors of the others.

let machine: Machine
let cluster: Cluster
const opened: postgres.Sql<Types>[] = []

beforeAll(async () => {
  machine = new Machine(inject("machine"))
  cluster = await startCluster(machine)
  const sql = openClient(cluster.url(), {})
  for (const user of ["certified", "unencrypted", "clear"])
    await sql.unsafe(`create user ${user} password '${PASSWORD}'`)
  await sql.unsafe(`set password_encryption = md5; create user hashed password '${PASSWORD}'`)
  await sql.end()
})
afterEach(() => Promise.all(opened.splice(0).map((sql) => sql.end({ timeout: 1 }))))
afterAll(() => machine.close())

function client(url: string) {
  const sql = openClient(url, {})
  opened.push(sql)
  return sql
}

/** `$name` stands for a file. */
const files = (query: string) => query.replace(/\$([\w.]+)/g, (_, name) => machine.certificate(name))

const connect = (query: string, { user = "vouch", host = "127.0.0.1" } = {}) => {
  const url = cluster.url(files(query), `${host}:${cluster.port}`).replace("//vouch:", `//${user}:`)
  return client(url)<{ ssl: boolean; user: string }[]>`
    select ssl, current_user as user from pg_stat_ssl where pid = pg_backend_pid()`
}

test.each([
  ["", "vouch", true],
  ["sslmode=prefer", "vouch", true],
  ["sslmode=require", "vouch", true],
  ["sslmode=no-verify&sslrootcert=$other.pem", "vouch", true],
  ["sslmode=require&sslrootcert=$authority.pem", "vouch", true],
  ["sslmode=verify-ca&sslrootcert=$authority.pem", "vouch", true],
  ["sslmode=require&channel_binding=require", "vouch", true],
  ["sslmode=require&channel_binding=disable", "vouch", true],
  ["sslmode=require&ssl_min_protocol_version=TLSv1.3&sslsni=0", "vouch", true],
  ["sslmode=require&sslcert=$client.pem&sslkey=$client.key", "certified", true],
  ["sslmode=allow", "vouch", true],
  ["sslmode=allow", "unencrypted", false],
  ["sslmode=prefer", "unencrypted", false],
  ["sslmode=disable", "unencrypted", false],
  ["sslmode=require", "hashed", true],
  ["sslmode=disable", "hashed", false],
  ["sslmode=require", "clear", true],
])("?%s connects %s, encrypted: %s", async (query, user, ssl) => {
  expect(await connect(query, { user })).toEqual([{ ssl, user }])
})

test("verify-full accepts only a certificate for the requested name", async () => {
  const query = "sslmode=verify-full&sslrootcert=$authority.pem"
  expect(await connect(query, { host: "localhost" })).toMatchObject([{ ssl: true }])
  await expect(connect(query)).rejects.toThrow(/127\.0\.0\.1:\d+: .*IP: 127\.0\.0\.1 is not in the cert/)
  // The name is checked, whatever hostaddr says.
  expect(await connect(`${query}&hostaddr=127.0.0.1`, { host: "localhost" })).toMatchObject([{ ssl: true }])
  await expect(connect(`${query}&hostaddr=127.0.0.1`, { host: "db.example.com" })).rejects.toThrow(/db\.example\.com/)
})

test.each([
  ["sslmode=disable", "vouch", /no encryption/],
  ["sslmode=require", "unencrypted", /pg_hba/],
  ["sslmode=require&sslrootcert=$other.pem", "vouch", /certificate/],
  ["sslmode=verify-ca&sslrootcert=$other.pem", "vouch", /certificate/],
  ["sslmode=verify-full", "vouch", /certificate/],
  ["sslmode=require&sslrootcert=/nowhere/root.pem", "vouch", /sslrootcert cannot be read: ENOENT/],
  ["sslmode=require", "certified", /certificate/],
  ["sslmode=require&channel_binding=require", "hashed", /channel_binding=require/],
  ["sslmode=require&channel_binding=require", "clear", /channel_binding=require/],
  ["sslmode=require&sslnegotiation=direct", "vouch", /./],
])("?%s does not connect %s: %s", async (query, user, reason) => {
  await expect(connect(query, { user })).rejects.toThrow(reason)
})

test("a refusal names the setting and says what to do", async () => {
  const url = (query: string, host?: string) => cluster.url(files(query), host)
  const check = (address: string) => checkDatabase({ url: address, directUrl: undefined, isConfigured: true })
  await expect(check(url("sslmode=disable"))).rejects.toThrow(/^DATABASE_URL: .*add sslmode=require/)
  await expect(check(url("").replace(":p%40", ":q%40"))).rejects.toThrow(/^DATABASE_URL: .*Check user and password/)
  await expect(check(url("").replace("/postgres?", "/nothing?"))).rejects.toThrow(
    /^DATABASE_URL: .*Create the database/,
  )
  await expect(check(url("sslmode=verify-full"))).rejects.toThrow(
    /^DATABASE_URL: .*docs\/production\.md#tls-to-postgres/,
  )
  await expect(check(url("sslmode=require"))).resolves.toBeUndefined()
})

test("a session has the options and the name from the address", async () => {
  const sql = client(cluster.url("options=-c%20work_mem%3D8MB&application_name=mine&sslmode=require"))
  expect(await sql`select current_setting('work_mem') as memory, current_setting('application_name') as name`).toEqual([
    { memory: "8MB", name: "mine" },
  ])
})

test("a pooler without a direct address is refused, with the missing setting, and so is a pooler instead of the database", async () => {
  const through = await startPgbouncer(machine, cluster)
  const [direct, pooled] = [cluster.url(), through(cluster.url())]
  const addresses = { url: pooled, directUrl: undefined, isConfigured: true }
  await expect(checkDatabase(addresses)).rejects.toThrow(/^DATABASE_URL: leads to a pooler.*Set DATABASE_DIRECT_URL/)
  await expect(checkDatabase({ ...addresses, directUrl: pooled })).rejects.toThrow(
    /^DATABASE_DIRECT_URL: leads to a pooler/,
  )
  await expect(checkDatabase({ ...addresses, directUrl: direct })).resolves.toBeUndefined()
  const another = direct.replace("/postgres?", "/template1?")
  await expect(checkDatabase({ ...addresses, directUrl: another })).rejects.toThrow(
    /a different database than DATABASE_URL/,
  )
})

test("a pooler that ignores unknown options is noticed too", async () => {
  const ignored =
    "lock_timeout,statement_timeout,idle_in_transaction_session_timeout,tcp_keepalives_idle,tcp_keepalives_interval,tcp_keepalives_count,tcp_user_timeout"
  const through = await startPgbouncer(machine, cluster, `ignore_startup_parameters = ${ignored}`)
  await expect(checkSession(through(cluster.url()), "DATABASE_URL")).rejects.toThrow(/Set DATABASE_DIRECT_URL/)
})

test("of several hosts the writable one is used, before and after a failover", async () => {
  const standby = await startStandby(machine, cluster)
  const hosts = `127.0.0.1:1,127.0.0.1:${standby.port},127.0.0.1:${cluster.port}`
  const url = cluster.url("sslmode=require&target_session_attrs=read-write", hosts)
  const where = async () => {
    const sql = openClient(url, {})
    const [row] = await sql<{ port: number; reads: boolean }[]>`
      select current_setting('port')::int as port, pg_is_in_recovery() as reads`.finally(() => sql.end({ timeout: 1 }))
    return row
  }
  expect(await where()).toEqual({ port: cluster.port, reads: false })
  await machine.stop(cluster.child)
  await expect(where()).rejects.toThrow(/127\.0\.0\.1:1: .*; 127\.0\.0\.1:\d+: it is read-only|read-only/)
  const admin = client(standby.url())
  await admin`select pg_promote()`
  await expect.poll(where).toEqual({ port: standby.port, reads: false })
})
