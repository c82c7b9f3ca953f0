import type { TestProject } from "vitest/node"
import { migrateTemplate } from "../run/global-setup.ts"
import { Machine, makeCertificates, startCluster } from "./processes.ts"

declare module "vitest" {
  interface ProvidedContext {
    machine: string
  }
}

/** Debian's Postgres 15 for the whole run. Tests connect with TLS and verify the certificate. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const machine = new Machine()
  const close = () => machine.close()
  try {
    makeCertificates(machine)
    const cluster = await startCluster(machine)
    const url = cluster.url(
      `sslmode=verify-full&sslrootcert=${machine.path("authority.pem")}`,
      `localhost:${cluster.port}`,
    )
    await migrateTemplate(url)
    project.provide("postgresUrl", url)
    project.provide("machine", machine.directory)
  } catch (error) {
    await close()
    throw error
  }
  return close
}
