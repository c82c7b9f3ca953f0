export type { ChainConnection, KitRpc, Web3Connection } from "./chain/connection.ts"
export type {
  OnChainAnswer,
  OnChainCredential,
  OnChainQuestion,
  OnChainRefusal,
} from "./chain/verify.ts"
export { verifyOnChain } from "./chain/verify.ts"
export type { VouchOptions } from "./client.ts"
export { Vouch } from "./client.ts"
export type * from "./contract.ts"
export type { ClientErrorCode } from "./errors.ts"
export { VouchError } from "./errors.ts"
export type { Rewound } from "./events.ts"
export type { AsyncOptions, EventPages, Pages, RequestOptions, WaitOptions } from "./options.ts"
export type { TestEvent, UnwrapOptions, WebhookHeaders } from "./webhook.ts"
export { unwrapEvent, WebhookError } from "./webhook.ts"
