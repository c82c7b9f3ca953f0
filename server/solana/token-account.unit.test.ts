import { ACCOUNT_SIZE, AccountLayout, TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from "@solana/spl-token"
import { type AccountInfo, Keypair, PublicKey, SystemProgram } from "@solana/web3.js"
import { expect, test } from "vitest"
import { readTokenAccount } from "./token-account.ts"

const [address, mint, owner] = [1, 2, 3].map(() => Keypair.generate().publicKey) as [PublicKey, PublicKey, PublicKey]

function infoOf(program: PublicKey, data: Buffer): AccountInfo<Buffer> {
  return { owner: program, data, lamports: 1, executable: false, rentEpoch: 0 }
}

function dataOf(of: PublicKey): Buffer {
  const data = Buffer.alloc(ACCOUNT_SIZE)
  const noOne = { delegateOption: 0, delegate: PublicKey.default, closeAuthorityOption: 0 } as const
  AccountLayout.encode(
    {
      mint: of,
      owner,
      amount: 7n,
      state: 2,
      isNativeOption: 0,
      isNative: 0n,
      delegatedAmount: 0n,
      closeAuthority: PublicKey.default,
      ...noOne,
    },
    data,
  )
  return data
}

test("an account that no one opened is null, even with lamports from a stranger", () => {
  expect(readTokenAccount(address, null, mint)).toBe(null)
  expect(readTokenAccount(address, infoOf(SystemProgram.programId, Buffer.alloc(0)), mint)).toBe(null)
})

test("an existing account is read", () => {
  const account = readTokenAccount(address, infoOf(TOKEN_2022_PROGRAM_ID, dataOf(mint)), mint)
  expect(account).toMatchObject({ amount: 7n, isFrozen: true })
})

test.each([
  ["of another program", infoOf(TOKEN_PROGRAM_ID, dataOf(mint))],
  ["of the system program, with data", infoOf(SystemProgram.programId, Buffer.alloc(8))],
  ["of another mint", infoOf(TOKEN_2022_PROGRAM_ID, dataOf(owner))],
  ["cut off", infoOf(TOKEN_2022_PROGRAM_ID, dataOf(mint).subarray(0, 100))],
])("an account %s is rejected as another request's answer, and not read as empty", (_what, info) => {
  expect(() => readTokenAccount(address, info, mint)).toThrow()
})
