// The deployment's health.

/** For operators and for strangers. */
export { healthForStrangers, healthRecord, readHealth, WORKER_SILENT_SECONDS } from "./health.ts"
