import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"

/** The folder of programs of Debian's package postgresql-15. */
export const POSTGRES = "/usr/lib/postgresql/15/bin"
export const DEBIAN_PACKAGES = ["postgresql-15", "pgbouncer", "openssl"]

/** PgBouncer: Debian's, or the one that `PGBOUNCER` names. */
export function findPgbouncer() {
  if (process.env.PGBOUNCER) return process.env.PGBOUNCER
  const directories = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"]
  return directories.map((directory) => join(directory, "pgbouncer")).find((path) => existsSync(path))
}

/** Whether this machine can run the tests on Debian's Postgres 15. */
export const hasPostgres15 = () => existsSync(join(POSTGRES, "postgres")) && findPgbouncer() !== undefined
