import type { Shapes } from "./shape.ts"

/** Responses that must differ from a validator's. The README says why. */
export const differences: Shapes = {
  // No inflation, so all rates are zero.
  getInflationGovernor: `{foundation: n, foundationTerm: n, initial: n, taper: n, terminal: n}`,
  getInflationRate: `{epoch: n, foundation: n, total: n, validator: n}`,
  // The only node has no peers.
  getClusterNodes: `[{clientId: "Agave", featureSet: n, gossip: null, pubkey: "<address>", pubsub: null, rpc: null, serveRepair: null, shredVersion: n, tpu: null, tpuForwards: null, tpuForwardsQuic: null, tpuQuic: null, tpuVote: null, tvu: null, version: "<version>"}…]`,
  // No lamports are locked.
  getSupply: `{context: {apiVersion: "<version>", slot: n}, value: {circulating: n, nonCirculating: n, nonCirculatingAccounts: [], total: n}}`,
  // The memo program is another build, with another error for bytes that are not UTF-8.
  "send failing program": `error -32002 "Transaction simulation failed: Error processing Instruction #: Program failed to complete" {accounts: null, err: {InstructionError: ["ProgramFailedToComplete" | n…]}, fee: n, innerInstructions: null, loadedAccountsDataSize: n, loadedAddresses: null, logs: [line…], postBalances: null, postTokenBalances: null, preBalances: null, preTokenBalances: null, replacementBlockhash: null, returnData: null, unitsConsumed: n}`,
}
