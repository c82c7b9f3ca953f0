import {
  keepPreviousData,
  type UseQueryResult,
  useQueryClient,
  useMutation as useTanstackMutation,
  useQuery as useTanstackQuery,
} from "@tanstack/react-query"
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server"
import { createContext, type ReactNode, use, useEffect, useMemo, useState } from "react"
import { type Api, createApi, api as everybody } from "#app/api.ts"
import { Link } from "#app/components/link.tsx"
import { isUnanswered, problemOf } from "#app/components/problem.ts"
import { notifyProblem } from "#app/components/toast.ts"
import type { Me } from "#domain/people"
import type { AppRouter } from "#server/trpc/router.ts"
import type { Permission } from "#shared/scopes.ts"
import { shownName } from "#shared/visible.ts"

/** The result of each procedure: `RouterOutputs["key"]["list"]`. */
export type RouterOutputs = inferRouterOutputs<AppRouter>
type RouterInputs = inferRouterInputs<AppRouter>

/** The name of a procedure: `"key.list"`. */
export type Procedure = {
  [Router in keyof RouterOutputs & string]: `${Router}.${keyof RouterOutputs[Router] & string}`
}[keyof RouterOutputs & string]
type In<All, Name> = Name extends `${infer Router extends keyof All & string}.${infer Last}`
  ? All[Router][Last & keyof All[Router]]
  : never
export type InputOf<Name extends Procedure> = In<RouterInputs, Name>
export type OutputOf<Name extends Procedure> = In<RouterOutputs, Name>

export type Workspace = Me["workspaces"][number] & {
  /** Whether the member's role allows this. The server checks again. */
  can: (permission: Permission) => boolean
}

const WorkspaceContext = createContext<{ workspace: Workspace; api: Api } | null>(null)

type WorkspaceProviderProps = { workspace: Me["workspaces"][number]; children: ReactNode }

export function WorkspaceProvider({ workspace, children }: WorkspaceProviderProps) {
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

export const useWorkspace = (): Workspace => useInside().workspace

export const useApi = (): Api => useInside().api

/** The address of a page of this workspace: `path("attestations", id)`. */
export function usePath(): (...parts: string[]) => string {
  const { id } = useWorkspace()
  return (...parts) => `/${[id, ...parts.map(encodeURIComponent)].join("/")}`
}

export const useMe = (): UseQueryResult<Me> =>
  useTanstackQuery({ queryKey: ["me"], queryFn: ({ signal }) => everybody.me.get.query(undefined, { signal }) })

/**
 * The result of a procedure, such as `useQuery("attestation.detail", { id })`, cached per workspace and input. With
 * `keep`, the previous page stays visible while the next one loads.
 */
export function useQuery<Name extends Procedure>(
  procedure: Name,
  ...[input, { keep = false, every_ms, enabled = true } = {}]: QueryArguments<Name>
): UseQueryResult<OutputOf<Name>> {
  const { workspace, api } = useInside()
  return useTanstackQuery<OutputOf<Name>>({
    queryKey: [workspace.id, ...procedure.split("."), input],
    queryFn: ({ signal }) => query(api, procedure, input as InputOf<Name>, signal),
    enabled,
    ...(keep && { placeholderData: keepPreviousData }),
    ...(every_ms !== undefined && { refetchInterval: every_ms }),
  })
}

function query<Name extends Procedure>(
  api: Api,
  name: Name,
  input: InputOf<Name>,
  signal: AbortSignal,
): Promise<OutputOf<Name>> {
  const [router, last] = name.split(".") as [keyof Api, string]
  return (api[router] as unknown as Record<string, Query<Name>>)[last]!.query(input, { signal })
}

type Query<Name extends Procedure> = {
  query: (input: InputOf<Name>, options: { signal: AbortSignal }) => Promise<OutputOf<Name>>
}

type QueryOptions = { keep?: boolean; every_ms?: number; enabled?: boolean }
type QueryArguments<Name extends Procedure> =
  undefined extends InputOf<Name>
    ? [input?: InputOf<Name>, options?: QueryOptions]
    : [input: InputOf<Name>, options?: QueryOptions]

const POLL_EVERY_MS = 1000

/** Like `useQuery`, but polls every second until `isAtRest`, then `every_ms`. */
export function usePolling<Name extends Procedure>(
  procedure: Name,
  input: InputOf<Name>,
  isAtRest: (answer: OutputOf<Name>) => boolean,
  { keep = false, every_ms }: Omit<QueryOptions, "enabled"> = {},
): UseQueryResult<OutputOf<Name>> {
  const [isMoving, setMoving] = useState(false)
  const polled = useQuery(procedure, input, {
    keep,
    ...(every_ms !== undefined && { every_ms }),
    ...(isMoving && { every_ms: POLL_EVERY_MS }),
  })
  const moves = polled.data !== undefined && !isAtRest(polled.data)
  if (moves !== isMoving) setMoving(moves)
  return polled
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

/** Reads the data of this workspace again: all of it, or that of one router or procedure. */
export function useRefresh(): (...parts: string[]) => Promise<void> {
  const { id } = useWorkspace()
  const client = useQueryClient()
  return (...parts) => client.invalidateQueries({ queryKey: [id, ...parts] })
}

/**
 * Changes something, then reads the data of this workspace again, unless `refresh` is false. `mutate` shows a failure
 * as a toast, unless it is `quiet`. `mutateAsync` leaves it to the `Form` or `Confirm` around it.
 */
export function useMutation<Input = void, Output = unknown>(
  change: (api: Api, input: Input) => Promise<Output>,
  { refresh = true, quiet = false }: { refresh?: boolean; quiet?: boolean } = {},
) {
  const { api } = useInside()
  const read = useRefresh()
  const mutation = useTanstackMutation<Output, Error, Input>({
    mutationFn: (input) => change(api, input),
    // Not awaited: the change is made even if reading again fails.
    onSuccess: () => {
      if (refresh) void read()
    },
    // A request that waits for approval is in the list of approvals from now on, and an act without an answer may have
    // been done.
    onError: (error) => {
      if (problemOf(error).approvalId !== undefined || isUnanswered(error)) void read()
    },
  })
  const mutate = (input: Input, onSuccess?: (output: Output) => void) =>
    void mutation.mutateAsync(input).then(onSuccess, (error) => quiet || notifyProblem(error))
  return { ...mutation, mutate }
}

/** A link to a page of this workspace: `<To path={["attestations", id]}>`. */
export function To({
  path: parts,
  query = "",
  className = "rounded-sm text-accent underline-offset-2 hover:underline",
  children,
}: {
  path: string[]
  query?: string
  className?: string
  children: ReactNode
}) {
  const path = usePath()
  return (
    <Link href={path(...parts) + query} prefetch={false} className={className}>
      {children}
    </Link>
  )
}

/** A company's own id for a person. A long one is cut to two lines, and shown whole on hover. */
export const ExternalId = ({ value }: { value: string }) => (
  <span title={value} className="line-clamp-2 max-w-72 wrap-anywhere">
    {shownName(value)}
  </span>
)

/** Links to the investor behind a wallet, by the company's own id for them if there is one. */
export function InvestorLink({ investor }: { investor: { investor_id: string; external_id: string | null } }) {
  const { investor_id, external_id } = investor
  return (
    <To path={["investors", investor_id]}>
      {external_id === null ? "View investor" : <ExternalId value={external_id} />}
      {external_id && <span className="sr-only">, view investor</span>}
    </To>
  )
}
