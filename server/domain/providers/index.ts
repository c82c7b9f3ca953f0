// KYC providers: a definition for each, and what they share.

/** Definitions and their table. */
export {
  type Flow,
  type Provider,
  type ProviderDecision,
  type ProviderDefinition,
  type ProviderEvent,
  type ReadDecision,
  type SessionToVerify,
  SUBMITTED,
  type VendorSession,
} from "./provider.ts"
export { providers } from "./table.ts"

/** Which of them a deployment uses. */
export { chooseProviders, type ModeProviders, variableIn } from "./choose.ts"
export { refuseUnknownSettings, settingWarnings } from "./setting-warnings.ts"

/** Signatures, calls and countries. */
export { digestOf, TOLERANCE_SECONDS } from "./signatures.ts"
export { VendorTrouble } from "./vendor-api.ts"
export { countryOf } from "./vendor-person.ts"
export { isSafeUrl } from "./vendor-settings.ts"

/** The format of our own events. */
export { decisionFields, type WebhookEvent, webhookEvent } from "./vouch-event.ts"
