"use client"

import type { Operation } from "#app/(dashboard)/[workspace]/tokens/answers.ts"
import { usePolling } from "#app/(dashboard)/workspace.tsx"

export const kindNames = { mint: "Mint", transfer: "Transfer" } as const satisfies Record<
  Operation["kind"],
  string
>

/** Whether it will change no more. */
export const hasEnded = ({ status }: Pick<Operation, "status">): boolean =>
  status === "confirmed" || status === "failed"

/** An operation with its transaction, followed until it has ended. */
export const useOperation = (id: string) =>
  usePolling(
    ["tokens", "operation", id],
    (api) => api.token.operationDetail.query({ id }),
    ({ operation }) => hasEnded(operation),
  )
