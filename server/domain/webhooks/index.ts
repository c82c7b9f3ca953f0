// Webhooks: endpoints, and the delivery of events to them.

/** Endpoints. */
export { endpointRecord, urlFor } from "./endpoint.ts"
export {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  listEndpoints,
  readSecret,
  rotateSecret,
} from "./endpoints.ts"
export { secretOwner } from "./secrets.ts"
export { endpointUrl } from "./deliver/destination.ts"

/** Deliveries. */
export {
  attemptRecord,
  deliveryDetail,
  deliveryRecord,
  getDelivery,
  type LastAttempt,
  lastAttempts,
  listDeliveries,
} from "./deliveries.ts"
export { countFailed } from "./failed.ts"
export { readHealth } from "./health.ts"
export { readProgress } from "./progress.ts"
export { replay } from "./replay.ts"
export { sendTestEvent } from "./test-event.ts"

/** Delivering. */
export { WebhookWorker } from "./deliver/worker.ts"
export { overdueSeconds } from "./metrics.ts"
export { dropOldDeliveries } from "./retention.ts"
