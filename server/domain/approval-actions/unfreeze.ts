import { cancelRecovery, type StoredCancel } from "#domain/recoveries"
import { type StoredUnfreeze, setFrozen } from "#domain/tokens"
import { act } from "./act.ts"

export const unfreeze = act((verb, { request }) => {
  if ("recovery_id" in request) return cancelRecovery({ ...verb, id: (request as StoredCancel).recovery_id })
  const { user_pubkey, mint_config, reason_code, reference } = request as StoredUnfreeze
  const freeze = { wallet: user_pubkey, mintConfig: mint_config, reasonCode: reason_code, reference }
  return setFrozen({ ...verb, ...freeze, frozen: false })
})
