import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { openClient } from "#db/connection.ts"
import { migrate } from "#db/migrate.ts"
import type { RunningPostgres } from "#server/embedded/postgres.ts"
import { startPostgres } from "#server/embedded/postgres.ts"
import { databaseIn, templateDatabase } from "../fixtures/database.ts"
import { clearLeftovers, prefix } from "./leftovers.ts"

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string
    /** The real validator, in the project whose tests use one. */
    validatorUrl: string | null
  }
}

const log = { info: () => {}, warn: console.warn, error: console.error }

/** One Postgres for the whole run, removed at the end. Each test file has its own database in it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const major = Number(process.versions.node.split(".")[0])
  if (major < 24) {
    throw new Error(
      `The tests need Node 24, this is ${process.version}. Run them with "npm test", which brings its own Node.`,
    )
  }
  await clearLeftovers()
  const dataDir = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`))
  const server = await startPostgres({ dataDir, durable: false, log })
  const teardown = () => end(server, dataDir)
  try {
    await migrateTemplate(server.url)
  } catch (error) {
    await teardown()
    throw error
  }
  project.provide("postgresUrl", server.url)
  return teardown
}

/** Migrated once: creating a database from it only copies files. */
export async function migrateTemplate(url: string): Promise<void> {
  const admin = openClient(url, {})
  await admin`CREATE DATABASE ${admin(templateDatabase)}`
  await admin.end()
  await migrate(databaseIn(url, templateDatabase))
}

async function end(server: RunningPostgres, dataDir: string): Promise<void> {
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
