/** The most parameters that each method takes. A cluster refuses more (-32602). */
export const maxParams: Readonly<Record<string, number>> = {
  ...{ getClusterNodes: 0, getEpochSchedule: 0, getFirstAvailableBlock: 0, getGenesisHash: 0, getHealth: 0 },
  ...{ getHighestSnapshotSlot: 0, getIdentity: 0, getInflationRate: 0, getMaxRetransmitSlot: 0 },
  ...{ getMaxShredInsertSlot: 0, getVersion: 0, minimumLedgerSlot: 0 },
  ...{ getBlockCommitment: 1, getBlockHeight: 1, getBlockProduction: 1, getBlockTime: 1, getEpochInfo: 1 },
  ...{
    getInflationGovernor: 1,
    getLargestAccounts: 1,
    getLatestBlockhash: 1,
    getRecentPerformanceSamples: 1,
  },
  ...{
    getRecentPrioritizationFees: 1,
    getSlot: 1,
    getSlotLeader: 1,
    getStakeMinimumDelegation: 1,
    getSupply: 1,
  },
  ...{ getTransactionCount: 1, getVoteAccounts: 1 },
  ...{ getAccountInfo: 2, getBalance: 2, getBlock: 2, getFeeForMessage: 2, getInflationReward: 2 },
  ...{ getLeaderSchedule: 2, getMinimumBalanceForRentExemption: 2, getMultipleAccounts: 2 },
  ...{ getProgramAccounts: 2, getSignatureStatuses: 2, getSignaturesForAddress: 2, getSlotLeaders: 2 },
  ...{ getTokenAccountBalance: 2, getTokenLargestAccounts: 2, getTokenSupply: 2, getTransaction: 2 },
  ...{ isBlockhashValid: 2, sendTransaction: 2, simulateTransaction: 2 },
  ...{ getBlocks: 3, getBlocksWithLimit: 3, getTokenAccountsByDelegate: 3, getTokenAccountsByOwner: 3 },
  requestAirdrop: 3,
}
