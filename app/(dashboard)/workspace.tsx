"use client"

import {
  keepPreviousData,
  type QueryKey,
  type UseMutationResult,
  type UseQueryResult,
  useQueryClient,
  useMutation as useTanstackMutation,
  useQuery as useTanstackQuery,
} from "@tanstack/react-query"
import { createContext, type ReactNode, use, useEffect, useMemo, useState } from "react"
import { type Api, createApi, api as everybody } from "#app/api.ts"
import { notifyProblem } from "#app/components/toast.ts"
import type { Me } from "#server/domain/people/me.ts"
import type { Permission } from "#shared/scopes.ts"

export type Workspace = Me["workspaces"][number] & {
  /** Whether the member's role allows this. The server checks again. */
  can: (permission: Permission) => boolean
}

const WorkspaceContext = createContext<{ workspace: Workspace; api: Api } | null>(null)

export function WorkspaceProvider({
  workspace,
  children,
}: {
  workspace: Me["workspaces"][number]
  children: ReactNode
}) {
  const value = useMemo(() => {
    const permissions = new Set(workspace.permissions)
    return {
      workspace: { ...workspace, can: (permission: Permission) => permissions.has(permission) },
      api: createApi({ "x-vouch-workspace": workspace.id }),
    }
  }, [workspace])
  return <WorkspaceContext value={value}>{children}</WorkspaceContext>
}

function useInside() {
  const inside = use(WorkspaceContext)
  if (!inside) throw new Error("useWorkspace needs a page below [workspace]")
  return inside
}

/** The workspace of this page. */
export const useWorkspace = (): Workspace => useInside().workspace

/** The procedures, called in the workspace of this page. */
export const useApi = (): Api => useInside().api

/** The address of a page of this workspace: `path("attestations", id)`. */
export function usePath(): (...parts: string[]) => string {
  const { id } = useWorkspace()
  return (...parts) => `/${[id, ...parts.map(encodeURIComponent)].join("/")}`
}

/** The signed-in user and their workspaces. */
export const useMe = (): UseQueryResult<Me> =>
  useTanstackQuery({
    queryKey: ["me"],
    queryFn: ({ signal }) => everybody.me.get.query(undefined, { signal }),
  })

/**
 * Fetches once per `key` in this workspace and caches the result. With `keep`, the previous page stays visible
 * while the next one loads.
 */
export function useQuery<T>(
  key: QueryKey,
  ask: (api: Api, signal: AbortSignal) => Promise<T>,
  { keep = false, every_ms, enabled = true }: { keep?: boolean; every_ms?: number; enabled?: boolean } = {},
): UseQueryResult<T> {
  const { workspace, api } = useInside()
  return useTanstackQuery<T>({
    queryKey: [workspace.id, ...key],
    queryFn: ({ signal }) => ask(api, signal),
    enabled,
    ...(keep && { placeholderData: keepPreviousData }),
    ...(every_ms !== undefined && { refetchInterval: every_ms }),
  })
}

const POLL_EVERY_MS = 1000

/** Like `useQuery`, but polls every second until `isAtRest`. */
export function usePolling<T>(
  key: QueryKey,
  ask: (api: Api) => Promise<T>,
  isAtRest: (answer: T) => boolean,
  { keep = false }: { keep?: boolean } = {},
): UseQueryResult<T> {
  const [isMoving, setMoving] = useState(false)
  const query = useQuery(key, ask, { keep, ...(isMoving && { every_ms: POLL_EVERY_MS }) })
  const moves = query.data !== undefined && !isAtRest(query.data)
  if (moves !== isMoving) setMoving(moves)
  return query
}

/** A value that follows the given one after a short pause, so that not every keystroke sends a request. */
export function useDebounced<T>(value: T, ms = 300): T {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return debounced
}

/** Reads the data under a key prefix in this workspace again. Without a prefix, all of it. */
export function useRefresh(): (...prefix: QueryKey) => Promise<void> {
  const { id } = useWorkspace()
  const client = useQueryClient()
  return (...prefix) => client.invalidateQueries({ queryKey: [id, ...prefix] })
}

/**
 * Changes something, then reads the data under `refresh` again. A failure shows a toast, unless it is `quiet` because a
 * `Form` or `Confirm` around it (with `mutateAsync`) shows the error.
 */
export function useMutation<Input = void, Output = unknown>(
  change: (api: Api, input: Input) => Promise<Output>,
  { refresh, quiet = false }: { refresh?: QueryKey; quiet?: boolean } = {},
): UseMutationResult<Output, Error, Input> {
  const { api } = useInside()
  const read = useRefresh()
  return useTanstackMutation<Output, Error, Input>({
    mutationFn: (input) => change(api, input),
    // Not awaited: the change is made even if reading again fails.
    onSuccess: () => {
      if (refresh) void read(...refresh)
    },
    onError: (error) => {
      if (!quiet) notifyProblem(error)
    },
  })
}
