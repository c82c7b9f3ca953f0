"use client"

import type { TokenView } from "#app/(dashboard)/[workspace]/tokens/answers.ts"
import { usePolling } from "#app/(dashboard)/workspace.tsx"

const isAtRest = ({ mint_state, aligning }: TokenView) => mint_state !== "creating" && aligning === null

/** A token, polled while its mint or its accounts are in progress. */
export const useToken = (id: string) =>
  usePolling(["tokens", "one", id], (api) => api.mintConfig.view.query({ id }), isAtRest)
