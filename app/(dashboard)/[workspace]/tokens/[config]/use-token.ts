"use client"

import type { TokenView } from "#app/(dashboard)/[workspace]/tokens/answers.ts"
import { usePolling } from "#app/(dashboard)/workspace.tsx"

const isAtRest = ({ mint_state, aligning }: TokenView) => mint_state !== "creating" && aligning === null

/** A token as it stands, followed while its mint or its accounts are on their way. */
export const useToken = (id: string) =>
  usePolling(["tokens", "one", id], (api) => api.mintConfig.view.query({ id }), isAtRest)
