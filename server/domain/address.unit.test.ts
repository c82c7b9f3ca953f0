import { expectTypeOf, test } from "vitest"
import type { z } from "zod"
import { columns, type RowOf } from "#db/rows.ts"
import type { publicKeyOf } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"
import type { StartRequest } from "./kyc/begin.ts"
import type { walletAddress } from "./kyc/wallet.ts"
import type { mint } from "./tokens/operations/mint.ts"

const attestation = columns("attestations", "workspace_id", "id", "wallet", "onchain_tx")
type Row = RowOf<typeof attestation>

test("an address is what was read as one, on its way from a request through the database to the chain", () => {
  expectTypeOf<z.input<typeof walletAddress>>().toEqualTypeOf<string>()
  expectTypeOf<z.output<typeof walletAddress>>().toEqualTypeOf<Address>()
  expectTypeOf<StartRequest["wallet"]>().toEqualTypeOf<Address>()
  expectTypeOf<Row["wallet"]>().toEqualTypeOf<Address>()
  expectTypeOf<z.output<typeof mint.payload>["wallet"]>().toEqualTypeOf<Address>()
  expectTypeOf<typeof publicKeyOf>().parameter(0).toEqualTypeOf<Address>()
})

test("no id, signature or other text is an address", () => {
  expectTypeOf<string>().not.toExtend<Address>()
  expectTypeOf<Row["workspace_id"]>().not.toExtend<Address>()
  expectTypeOf<Row["id"]>().not.toExtend<Address>()
  expectTypeOf<NonNullable<Row["onchain_tx"]>>().not.toExtend<Address>()
})
