import type { ServerResponse } from "node:http"
import type { inferRouterOutputs } from "@trpc/server"
import { z } from "zod"
import type { NamesIn } from "#db/rows.ts"
import type { Principal, SignedIn } from "#domain/requests"
import { readQuery, sendCsv } from "#server/lib/csv.ts"
import { clock } from "#server/lib/time.ts"
import { type AppRouter, appRouter } from "#server/trpc/router.ts"
import { createCallerFactory } from "#server/trpc/trpc.ts"

// Downloads of lists. Each reads the procedure that shows the list, page by page, so a file has the list's filters, and
// admits the same members.

type Outputs = inferRouterOutputs<AppRouter>
type OutputOf<Path> = Path extends `${infer Router}.${infer Procedure}`
  ? Router extends keyof Outputs
    ? Procedure extends keyof Outputs[Router]
      ? Outputs[Router][Procedure]
      : never
    : never
  : never
type PathIn<Router extends keyof Outputs & string> = `${Router}.${keyof Outputs[Router] & string}`
type Path = { [Router in keyof Outputs & string]: PathIn<Router> }[keyof Outputs & string]
type RowIn<Output> = Output extends { data: readonly (infer Row)[] } ? Row : never

type ListExport = {
  path: Path
  columns: readonly string[]
  rowsIn: (output: unknown) => readonly unknown[]
  toLine: (row: unknown) => Record<string, string | null>
}

type More<Of extends Path, Row> = {
  /** Further columns, after the fields of the row. */
  cells?: Record<string, (row: Row) => unknown>
  /** The rows of a procedure that returns them under another name than `data`. */
  rowsIn?: (output: OutputOf<Of>) => readonly Row[]
}

/** A list's procedure and the fields of its rows. A name that is not a field of every row does not compile. */
const listExport =
  <Of extends Path, Row = RowIn<OutputOf<Of>>>(path: Of, { cells = {}, rowsIn = dataOf }: More<Of, Row> = {}) =>
  <List extends string>(...lists: (NamesIn<List> extends keyof Row ? List : never)[]): ListExport => {
    const fields = lists.flatMap((list) => list.split(", "))
    const written = [
      ...fields.map((field) => [field, (row: Row) => row[field as keyof Row]] as const),
      ...Object.entries(cells),
    ]
    return {
      path,
      columns: written.map(([name]) => name),
      rowsIn: (output) => rowsIn(output as OutputOf<Of>),
      toLine: (row) => Object.fromEntries(written.map(([name, cell]) => [name, toText(cell(row as Row))])),
    }
  }

const dataOf = <Row>(output: unknown) => (output as { data: readonly Row[] }).data

function toText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value.join(" ")
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}

const nameOf = (person: { name: string } | null): string | null => person?.name ?? null

const operationFields = [
  "operation_id, kind, status, mint_config, amount, user_pubkey, from_pubkey, to_pubkey, reason_code, reference, error",
  "hold_id, recovery_id, payout_id, approval_id, onchain_tx, created_at, confirmed_at, finalized_at",
] as const

/** The lists, by the names of their files. */
export const listExports: Record<string, ListExport> = {
  // Without the link: anyone who has it can verify the wallet.
  sessions: listExport("session.list")(
    "attestation_id, status, state, schema, user_pubkey, external_id, investor_id, started_at, consented_at, decision",
    "decided_at, open_until",
  ),
  investors: listExport("investor.search")(
    "investor_id, external_id, wallets, statuses, started_at, expires_at, first_seen_at",
  ),
  // Without the findings' texts, which are sealed.
  reviews: listExport("review.list", {
    cells: {
      assignee: ({ assignee }) => nameOf(assignee),
      requested_by: ({ requested_by }) => nameOf(requested_by),
      decided_by: ({ decided_by }) => nameOf(decided_by),
    },
  })(
    "review_id, kind, state, finding, attestation_id, schema, wallet, external_id, investor_id, opened_at",
    "session_open_until, decision, ending, closed_at",
  ),
  approvals: listExport("approval.list", {
    cells: { approved_by: ({ given }) => given.map(({ by }) => by).join(", ") },
  })(
    "approval_id, action, subject, state, requested_by, created_at, expires_at, ended_at, needed, reason, policy_id",
    "digest, request, outcome",
  ),
  policies: listExport("approvalPolicy.overview", { rowsIn: ({ policies, defaults }) => [...policies, ...defaults] })(
    "policy_id, actions, mint_config, min_amount, approvals, roles, expires_in_hours",
  ),
  events: listExport("event.search")("sequence, id, type, occurred_at, data"),
  requests: listExport("request.list")("request_id, at, method, path, status, error, duration_ms, key_id, key_name"),
  keys: listExport("key.list")(
    "key_id, name, start, scopes, status, expires_at, last_used_at, created_at, created_by, known_to",
  ),
  schemas: listExport("schema.summary", {
    cells: { verified: ({ verified: { count, more } }) => `${count}${more ? "+" : ""}` },
  })("id, name, validity_days, created_at"),
  tokens: listExport("mintConfig.list")(
    "id, name, symbol, decimals, required_schema, transfer_mode, rules, mint, extensions, supply, holders, investors",
    "paused, created_at",
  ),
  operations: listExport("token.operations")(...operationFields),
  holds: listExport("hold.list")(
    "hold_id, user_pubkey, mint_config, amount, remaining, state, reason_code, reference, expires_at, onchain_account",
    "operation_id, created_at, ended_at",
  ),
  snapshots: listExport("snapshot.list")(
    "snapshot_id, name, mint_config, state, record_at, holders, supply, sha256, complete, anchor_tx, created_at, ready_at",
  ),
  distributions: listExport("distribution.list")(
    "distribution_id, snapshot_id, mint_config, record_at, settlement, payment_mint, state, reason_code, reference",
    "payouts, total, allocated, remainder, pending, withheld, submitted, paid, external_paid, failed, created_at",
    "started_at, ended_at, approval_id",
  ),
  webhooks: listExport("webhook.list")(
    "endpoint_id, url, description, types, ordered, status, disabled_reason, disabled_at, failing_since, created_at",
  ),
  deliveries: listExport("webhook.searchDeliveries")(
    "endpoint_id, event_id, sequence, type, status, attempts, next_attempt_at, ended_at, last_status_code, last_error",
  ),
  "investor-operations": listExport("investor.operations")(...operationFields),
  refusals: listExport("investor.refusals")("at, what, error, detail, amount, mint_config, request_id, operation_id"),
  recoveries: listExport("recovery.list")(
    "recovery_id, investor_id, lost_wallet, new_wallet, reason_code, reference, state, barred_since, approval_id, error",
    "created_at, begun_at, ended_at",
  ),
  "bulk-revocation": listExport("bulkRevocation.contents")(
    "attestation_id, user_pubkey, external_id, investor_id, schema, status, outcome, error",
  ),
  members: listExport("member.list", { rowsIn: ({ members }) => members })(
    "user_id, name, email, role, second_factor, email_confirmed, joined_at",
  ),
}

type Shape = Record<string, z.ZodType>
type Procedure = { _def: { inputs: readonly { shape?: Shape }[] } }
const procedures = appRouter._def.procedures as unknown as Record<string, Procedure>

/** What a procedure can be asked, without the page. */
function filterOf(path: Path): { filter: Shape; hasLimit: boolean } {
  const shape = Object.assign({}, ...procedures[path]!._def.inputs.map((input) => input.shape ?? {})) as Shape
  const { cursor: _, limit, ...filter } = shape
  return { filter, hasLimit: limit !== undefined }
}

/** An address has texts alone. */
const typed = (field: z.ZodType, text: string): string | number =>
  /^[0-9]{1,9}$/.test(text) && !field.safeParse(text).success ? Number(text) : text

/** The largest page that procedures allow. */
const LARGEST_PAGE = 100

type Reader = { principal: Principal; user: SignedIn; requestId: string }
type Api = Record<string, Record<string, (input: unknown) => Promise<unknown>>>
const createCaller = createCallerFactory(appRouter)

const apiOf = ({ principal, user, requestId }: Reader): Api =>
  createCaller({
    ...{ requestId, transport: "pages", principal, user },
    ...{ idempotency: null, webhook: null, respondAsync: false, answer: { status: 200 } },
  }) as unknown as Api

/** Sends a list as CSV, with the filters in the address. Errors at the start: those of its procedure. */
export async function sendList(
  { path, columns, rowsIn, toLine }: ListExport,
  name: string,
  query: URLSearchParams,
  { reader, readerNow, response }: { reader: Reader; readerNow: () => Promise<Reader>; response: ServerResponse },
): Promise<void> {
  const { filter, hasLimit } = filterOf(path)
  const texts = z.object(Object.fromEntries(Object.keys(filter).map((one) => [one, z.string().optional()])))
  const given = Object.entries(readQuery(texts, query)) as [string, string][]
  const [router, procedure] = path.split(".") as [string, string]
  let api = apiOf(reader)
  let cursor: string | null | undefined
  const asked = {
    ...Object.fromEntries(given.map(([one, text]) => [one, typed(filter[one]!, text)])),
    ...(hasLimit && { limit: LARGEST_PAGE }),
  }
  const readPage = async () => {
    const output = await api[router]![procedure]!({ ...asked, ...(cursor && { cursor }) })
    cursor = (output as { next_cursor?: string | null }).next_cursor ?? null
    return rowsIn(output)
  }
  await sendCsv(response, {
    filename: `${name}-${clock.now().toISOString().slice(0, 10)}.csv`,
    rows: null,
    columns,
    toLine,
    requireAccess: async () => {
      api = apiOf(await readerNow())
    },
    readAfter: async () => {
      // A page of a search in parts can be empty although others follow.
      while (cursor !== null) {
        const rows = await readPage()
        if (rows.length > 0) return rows
      }
      return []
    },
  })
}
