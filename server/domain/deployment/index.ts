// What this process was started with.

/** Settings, keys, chains and providers. */
export {
  authorityOfNew,
  chainOf,
  type Deployment,
  deployment,
  flowOf,
  providerFor,
  providerLabel,
  vendorPage,
  providerNamed,
  setDeployment,
} from "./deployment.ts"

/** Texts that the database must not show. */
export { reseal, seal, unseal } from "./sealed.ts"
export { openRows, sealRows } from "./counted-rows.ts"
export { openClaims, sealClaims } from "./sealed-claims.ts"
