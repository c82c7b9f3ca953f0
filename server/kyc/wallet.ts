import { z } from "zod"
import type { ErrorCode } from "#server/errors.ts"
import { isWalletAddress } from "#server/solana/addresses.ts"

/** Lets a field's schema answer with a code of its own instead of validation_failed. */
export const failsWith = (code: ErrorCode) => ({ params: { code } })

/** An investor's wallet: the base58 address, 32 bytes when decoded. Errors: invalid_public_key. */
export const walletAddress = z
  .string()
  .refine(isWalletAddress, {
    error: "must be the base58 address of a wallet",
    ...failsWith("invalid_public_key"),
  })
  .meta({
    description: "A wallet's address, base58 of 32 bytes",
    example: "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU",
  })

/** The id of a schema. One that does not exist is unknown_schema, whatever it looks like. */
export const schemaId = z
  .string()
  .refine((text) => /^[a-z0-9][a-z0-9_]{0,63}$/.test(text), {
    error: "is not a schema of this workspace",
    ...failsWith("unknown_schema"),
  })
  .meta({ description: "Identifier of a schema", example: "kyc_individual_v1" })
