import { z } from "zod"
import { failsWith } from "#server/lib/fields.ts"
import { ADDRESS } from "#shared/address.ts"
import { isWalletAddress } from "./addresses.ts"

/** An investor's wallet: the base58 address, 32 bytes when decoded. Errors: invalid_public_key. */
export const walletAddress = z
  .string()
  .refine(isWalletAddress, {
    error: "must be the base58 address of a wallet",
    ...failsWith("invalid_public_key"),
  })
  .meta({
    pattern: ADDRESS.source,
    description: "Wallet address, base58 of 32 bytes",
    example: "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU",
  })
  .brand<"address">()
