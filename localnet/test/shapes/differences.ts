import type { Shapes } from "./shape.ts"

/** What the local network answers otherwise than a validator, and has to: its README says why. */
export const differences: Shapes = {
  // Nothing is inflated: zeros.
  getInflationGovernor: `{foundation: n, foundationTerm: n, initial: n, taper: n, terminal: n}`,
  getInflationRate: `{epoch: n, foundation: n, total: n, validator: n}`,
  // Its one node speaks to no other.
  getClusterNodes: `[{clientId: "Agave", featureSet: n, gossip: null, pubkey: "<address>", pubsub: null, rpc: null, serveRepair: null, shredVersion: n, tpu: null, tpuForwards: null, tpuForwardsQuic: null, tpuQuic: null, tpuVote: null, tvu: null, version: "<version>"}…]`,
  // Nothing is locked.
  getSupply: `{context: {apiVersion: "<version>", slot: n}, value: {circulating: n, nonCirculating: n, nonCirculatingAccounts: [], total: n}}`,
  // The memo program is another binary, and stumbles over bytes that are no UTF-8 in its own way.
  "send failing program": `error -32002 "Transaction simulation failed: Error processing Instruction #: Program failed to complete" {accounts: null, err: {InstructionError: ["ProgramFailedToComplete" | n…]}, fee: n, innerInstructions: null, loadedAccountsDataSize: n, loadedAddresses: null, logs: [line…], postBalances: null, postTokenBalances: null, preBalances: null, preTokenBalances: null, replacementBlockhash: null, returnData: null, unitsConsumed: n}`,
}
