/**
 * How a parameter of a database's URL is handled: it is read; it has no effect; it belongs to another program and is
 * ignored with a warning; or libpq reads it, and only some values work here.
 */
export type Use = "read" | "without effect" | "ignored" | { accepts: readonly string[]; otherwise: string }

/** The allowed values of some parameters. */
export const choices = {
  /** `no-verify` comes from node-postgres and Heroku's documentation. */
  sslmode: ["disable", "allow", "prefer", "require", "no-verify", "verify-ca", "verify-full"],
  ssl: ["true", "1", "no-verify", "false", "0"],
  channel_binding: ["disable", "prefer", "require"],
  target_session_attrs: ["any", "read-write", "primary"],
  ssl_min_protocol_version: ["TLSv1.2", "TLSv1.3"],
  ssl_max_protocol_version: ["TLSv1.2", "TLSv1.3"],
  sslnegotiation: ["postgres", "direct"],
} as const

/**
 * Every known parameter: libpq's (https://www.postgresql.org/docs/18/libpq-connect.html#LIBPQ-PARAMKEYWORDS), then
 * those of ORMs and drivers that hosts add. Any other stops the start, because it may be meant as a protection.
 */
export const parameters = {
  host: "read",
  hostaddr: "read",
  port: "read",
  dbname: "read",
  user: "read",
  password: "read",
  connect_timeout: "read",
  application_name: "read",
  fallback_application_name: "read",
  options: "read",
  keepalives: "read",
  keepalives_idle: "read",
  sslmode: "read",
  ssl: "read",
  sslrootcert: "read",
  sslcert: "read",
  sslkey: "read",
  sslpassword: "read",
  sslcrl: "read",
  sslcertmode: "read",
  sslsni: "read",
  sslnegotiation: "read",
  ssl_min_protocol_version: "read",
  ssl_max_protocol_version: "read",
  channel_binding: "read",
  target_session_attrs: {
    accepts: ["any", "read-write", "primary"],
    otherwise: "Vouch writes, so it needs the primary: use read-write",
  },
  client_encoding: { accepts: ["utf8", "UTF8", "auto"], otherwise: "Vouch speaks UTF8" },
  gssencmode: { accepts: ["disable", "prefer"], otherwise: "Vouch does not support GSSAPI; use TLS (sslmode)" },
  replication: { accepts: ["false", "off", "no", "0"], otherwise: "Vouch needs an ordinary session" },
  // Node's sockets set these themselves or do not use them.
  keepalives_interval: "without effect",
  keepalives_count: "without effect",
  tcp_user_timeout: "without effect",
  sslcompression: "without effect",
  load_balance_hosts: "without effect",
  krbsrvname: "without effect",
  gsslib: "without effect",
  gssdelegation: "without effect",
  min_protocol_version: "without effect",
  max_protocol_version: "without effect",
  // Prisma
  schema: "ignored",
  pgbouncer: "ignored",
  connection_limit: "ignored",
  pool_timeout: "ignored",
  socket_timeout: "ignored",
  statement_cache_size: "ignored",
  max_idle_connection_lifetime: "ignored",
  sslidentity: "ignored",
  // Other ORMs, drivers and hosts
  currentSchema: "ignored",
  encoding: "ignored",
  idle_timeout: "ignored",
  max: "ignored",
  max_lifetime: "ignored",
  pool: "ignored",
  pool_max_conns: "ignored",
  pool_mode: "ignored",
  pool_size: "ignored",
  prepare: "ignored",
  prepared_statements: "ignored",
  prepareThreshold: "ignored",
  reaping_frequency: "ignored",
  reconnect: "ignored",
  serverVersion: "ignored",
  charset: "ignored",
  supa: "ignored",
  uselibpqcompat: "ignored",
  workaround: "ignored",
} as const satisfies Record<string, Use>
