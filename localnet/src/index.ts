import type { Localnet, LocalnetOptions } from "./server.ts"

export {
  type LocalnetProcess,
  PortInUse,
  startLocalnetProcess,
  UnsupportedPlatform,
} from "./child-process.ts"
export { type Disruption, disruptionOf, type Faults, parseFaults } from "./rpc/faults.ts"
export type { Localnet, LocalnetOptions }

/**
 * Starts a network in this process. The first call loads the virtual machine, so a server that never calls this does
 * not load it.
 */
export async function startLocalnet(options: LocalnetOptions = {}): Promise<Localnet> {
  const { serve } = await import("./server.ts")
  return serve(options)
}
