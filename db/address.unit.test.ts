import { expect, test } from "vitest"
import { AddressError, addressOf } from "./address.ts"

const only = (url: string) => {
  const { hosts, user, password, database, tls, ...rest } = addressOf(url)
  return {
    at: hosts.map(({ name, port }) => `${name}:${port}`),
    user,
    password,
    database,
    ssl: tls.mode,
    ...rest,
  }
}

test.each([
  [
    "Neon",
    "postgresql://alex:AbC123dEf@ep-cool-darkness-a1b2c3d4.us-east-2.aws.neon.tech/dbname?sslmode=require&channel_binding=require",
    {
      at: ["ep-cool-darkness-a1b2c3d4.us-east-2.aws.neon.tech:5432"],
      ...{
        user: "alex",
        password: "AbC123dEf",
        database: "dbname",
        ssl: "require",
        channelBinding: "require",
      },
    },
  ],
  [
    "Supabase, for Prisma",
    "postgresql://postgres.abcdefghijklmnopqrst:p%40ss%23w@aws-0-eu-central-1.pooler.supabase.com:6543/postgres?pgbouncer=true&connection_limit=1",
    {
      at: ["aws-0-eu-central-1.pooler.supabase.com:6543"],
      ...{ user: "postgres.abcdefghijklmnopqrst", password: "p@ss#w", database: "postgres", ssl: "prefer" },
      ignored: ["pgbouncer", "connection_limit"],
    },
  ],
  [
    "Amazon RDS",
    "postgres://vouch:secret@vouch.abc123.eu-west-1.rds.amazonaws.com:5432/vouch?sslmode=verify-full&sslrootcert=/etc/vouch/global-bundle.pem",
    { at: ["vouch.abc123.eu-west-1.rds.amazonaws.com:5432"], ssl: "verify-full" },
  ],
  [
    "Cloud SQL's socket",
    "postgresql://vouch:secret@/vouch?host=/cloudsql/project:europe-west1:vouch",
    { at: ["/cloudsql/project:europe-west1:vouch:5432"], database: "vouch", ssl: "disable" },
  ],
  [
    "Azure",
    "postgresql://vouch@example:secret@example.postgres.database.azure.com:5432/vouch?sslmode=require",
    /has an @ in the user name or password that must be written as %40/,
  ],
  [
    "Azure, with its user@server form",
    "postgresql://vouch%40example:secret@example.postgres.database.azure.com:5432/vouch?sslmode=require",
    { user: "vouch@example", ssl: "require" },
  ],
  [
    "Heroku",
    "postgres://u1abc:p2def@ec2-1-2-3-4.compute-1.amazonaws.com:5432/d3ghi",
    { at: ["ec2-1-2-3-4.compute-1.amazonaws.com:5432"], database: "d3ghi", ssl: "prefer" },
  ],
  ["Heroku's documents", "postgres://a:b@h/d?sslmode=no-verify", { ssl: "no-verify" }],
  [
    "Aiven",
    "postgres://avnadmin:AVNS_x@pg-1-example.a.aivencloud.com:12691/defaultdb?sslmode=require",
    { at: ["pg-1-example.a.aivencloud.com:12691"], user: "avnadmin", ssl: "require" },
  ],
  [
    "DigitalOcean",
    "postgresql://doadmin:AVNS_x@db-postgresql-fra1-1-do-user-1-0.b.db.ondigitalocean.com:25060/defaultdb?sslmode=require",
    { at: ["db-postgresql-fra1-1-do-user-1-0.b.db.ondigitalocean.com:25060"], ssl: "require" },
  ],
  [
    "Crunchy Bridge",
    "postgres://application:secret@p.abcdefghijklmnopqrstuvwxyz.db.postgresbridge.com:5432/postgres",
    { user: "application", database: "postgres" },
  ],
  [
    "several hosts",
    "postgres://a:b@one:5433,two,[::1]:5434/d?target_session_attrs=read-write&connect_timeout=3",
    { at: ["one:5433", "two:5432", "::1:5434"], needsPrimary: true, connectTimeout_ms: 3000 },
  ],
  ["several hosts and nothing else", "postgres://a:b@one,two/d", { needsPrimary: true }],
  [
    "hosts as parameters",
    "postgres:///d?host=one,two&port=6432&user=u&password=a%2Bb+c",
    { at: ["one:6432", "two:6432"], user: "u", password: "a+b+c" },
  ],
  ["a password with # and ?", "postgres://u:a#b?c&d@h/d", { password: "a#b?c&d", at: ["h:5432"] }],
  ["a socket in the host", "postgres://u:p@%2Ftmp%2Fvouch-1:5433/d", { at: ["/tmp/vouch-1:5433"], ssl: "disable" }],
  [
    "options",
    "postgres://u:p@h/d?options=-c%20work_mem%3D8MB&application_name=me",
    { options: "-c work_mem=8MB", applicationName: "me" },
  ],
  [
    "keepalives",
    "postgres://u:p@h/d?keepalives=1&keepalives_idle=30&keepalives_interval=10&keepalives_count=3",
    { keepAlive_s: 30 },
  ],
  ["no keepalives", "postgres://u:p@h/d?keepalives=0", { keepAlive_s: null }],
  [
    "schema",
    "postgres://u:p@h/d?schema=public&statement_cache_size=0&pool_timeout=10",
    { ignored: ["schema", "statement_cache_size", "pool_timeout"] },
  ],
  ["another driver's ssl", "postgres://u:p@h/d?ssl=true", { ssl: "require" }],
  ["public authorities", "postgres://u:p@h/d?sslrootcert=system", { ssl: "verify-full" }],
])("an address is parsed: %s", (_of, url, expected) => {
  if (expected instanceof RegExp) expect(() => addressOf(url)).toThrow(expected)
  else expect(only(url)).toMatchObject(expected)
})

test.each([
  ["mysql://u:p@h/d", /must be an address such as postgres:/],
  ["h:5432/d", /must be an address such as postgres:/],
  ["postgres://u:s3cret@h/d?sslmod=require", /has the unknown parameter sslmod\. Did you mean sslmode\?/],
  ["postgres://u:s3cret@h/d?statement_timeout=5", /has the unknown parameter statement_timeout/],
  ["postgres://u:s3cret@h/d?sslmode=always", /has an invalid sslmode: it must be disable, allow, .* or verify-full/],
  ["postgres://u:s3cret@h/d?sslmode=verify-ca", /has sslmode=verify-ca without sslrootcert/],
  ["postgres://u:s3cret@h/d?sslmode=require&sslrootcert=system", /has sslrootcert=system without sslmode=verify-full/],
  ["postgres://u:s3cret@h/d?target_session_attrs=standby", /target_session_attrs: Vouch writes.*read-write/],
  ["postgres://u:s3cret@h/d?sslcert=/c.pem", /has only one of sslcert and sslkey/],
  ["postgres://u:s3cret@h/d?connect_timeout=soon", /has an invalid connect_timeout: it must be a whole number/],
  ["postgres://u:s3cret@h/d?gssencmode=require", /gssencmode: Vouch does not support GSSAPI/],
  ["postgres://u:s3cret@h/d?service=vouch", /has the unknown parameter service/],
  ["postgres://u:s3cret@h:none/d", /a port that is not a number/],
  ["postgres://u:s3cret@h:70000/d", /a port that is not a number/],
  ["postgres://u:s3cret@one,two/d?port=1,2,3", /as many ports as hosts/],
  ["postgres://u:s3cret%@h/d", /has a % in the password that must be written as %25/],
  ["postgres://u:s3c/ret@h/d", /has a \/ in the user name or password that must be written as %2F/],
  ["postgres://u:s3c@ret@h/d", /has an @ in the user name or password that must be written as %40/],
  ["postgres://u:s3cret@::1/d", /brackets/],
])("%s is refused, and the message does not repeat the password", (url, sentence) => {
  expect(() => addressOf(url)).toThrow(AddressError)
  expect(() => addressOf(url)).toThrow(sentence)
  expect(() => addressOf(url)).not.toThrow(/s3c/)
})
