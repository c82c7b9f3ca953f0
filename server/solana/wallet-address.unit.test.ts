import { expectTypeOf, test } from "vitest"
import type { z } from "zod"
import { columns, type RowOf } from "#db/rows.ts"
import type { StartRequest } from "#server/domain/kyc/begin.ts"
import type { mint } from "#server/domain/tokens/operations/mint.ts"
import type { Address } from "#shared/address.ts"
import type { publicKeyOf } from "./addresses.ts"
import type { walletAddress } from "./wallet-address.ts"

const attestation = columns("attestations", "workspace_id, id, wallet, onchain_tx")
type Row = RowOf<typeof attestation>

test("an address stays the same from a request through the database to the chain", () => {
  expectTypeOf<z.input<typeof walletAddress>>().toEqualTypeOf<string>()
  expectTypeOf<z.output<typeof walletAddress>>().toEqualTypeOf<Address>()
  expectTypeOf<StartRequest["wallet"]>().toEqualTypeOf<Address>()
  expectTypeOf<Row["wallet"]>().toEqualTypeOf<Address>()
  expectTypeOf<z.output<typeof mint.payload>["wallet"]>().toEqualTypeOf<Address>()
  expectTypeOf<typeof publicKeyOf>().parameter(0).toEqualTypeOf<Address>()
})

test("ids, signatures and other texts are not addresses", () => {
  expectTypeOf<string>().not.toExtend<Address>()
  expectTypeOf<Row["workspace_id"]>().not.toExtend<Address>()
  expectTypeOf<Row["id"]>().not.toExtend<Address>()
  expectTypeOf<NonNullable<Row["onchain_tx"]>>().not.toExtend<Address>()
})
