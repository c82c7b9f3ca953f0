import { sql } from "#db/client.ts"
import type { ProviderDefinition, Signal } from "#server/domain/providers/provider.ts"
import { providers } from "#server/domain/providers/table.ts"
import { unseal } from "#server/domain/sealed.ts"
import type { Claims } from "#shared/claims.ts"
import { newWallet, startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import type { Fault } from "./server.ts"

/** What a vendor can find out; `withdrawn` is that it takes an approval back. */
export const outcomes = [
  "approved",
  "rejected",
  "resubmission_requested",
  "in_review",
  "expired",
  "withdrawn",
] as const
export type Outcome = (typeof outcomes)[number]

/** A session of ours, with all that a vendor may know it by. */
export type OurSession = {
  sessionId: string
  attestationId: string
  investorId: string
  schemaId: string
  wallet: string
  /** The vendor's, once it has opened its side. */
  reference: string | null
}

/** Another company's server, which checks what it gets as that company does. */
export type VendorDouble = {
  /** Settings of Vouch that lead here, in both modes. */
  settings: Record<string, string>
  /** The same with credentials that the vendor does not know. */
  wrongSettings: Record<string, string>
  /** What must never be logged: keys, secrets, tickets of its pages. */
  secrets: string[]
  /** What it knows of the person and we must not keep: a name, a birth date, a document's number. */
  personal: string[]
  /** Every call of its API and the status that it gave; 0 for none. */
  requests: { method: string; path: string; status: number }[]
  misbehave(as: Fault | null): void
  /** Has it say something else than it means, until null. */
  alter(how: ((text: string) => string) | null): void
  /** How many sessions of its own it has opened for one of ours, or for the person. */
  opened(session: OurSession): number
  /** Finds something out at a time, and tells nobody. Returns the body of the webhook that says so. */
  decide(session: OurSession, outcome: Outcome, at?: Date): string
  /** Has the investor submit, with nothing decided. Returns the webhook that says so; for a vendor that sends one. */
  submit?(session: OurSession): string
  /** Bodies of the webhooks by which it says something of a person whom it approved, of that time; one for each way. */
  signal(session: OurSession, signal: Signal, at?: Date): string[]
  /** Bodies of documented webhooks about the session that decide nothing. */
  silent(session: OurSession): string[]
  /** The headers of a webhook that the vendor signs, at a time. */
  sign(body: string, by?: { secret?: string; at?: Date }): Record<string, string>
  /** Whether it was asked to delete what it keeps under a reference. */
  redacted(reference: string): boolean
  stop(): Promise<void>
}

/** What differs from vendor to vendor. */
export type VendorContract = {
  definition: ProviderDefinition
  startDouble(): Promise<VendorDouble>
  /** Settings without which the start is refused. */
  required: string[]
  /** Headers without any one of which nothing is signed. The first one is the signature. */
  signatureHeaders: [string, ...string[]]
  /** Whether it may hold several signatures, while a secret rotates. */
  severalSignatures: boolean
  /** How old what it signs may be; null where nothing signs the time. */
  window_s: number | null
  /** Whether the decision is read from the vendor's API, because nothing signs the webhook's time. */
  isFetched: boolean
  /** What it can say. */
  outcomes: readonly Outcome[]
  /** Whether it says that the investor has submitted before it decides. */
  submits: boolean
  /** What it can say later of people whom it approved. */
  signals: readonly Signal[]
  /** Whether its API can be asked to delete what it keeps of a person. */
  deletes: boolean
  /** Whether it opens another session when its first answer was lost, because it takes no idempotency key. */
  opensAgain: boolean
  /** What is recorded of a person whom the double approves. */
  claims: Claims
}

/** What a webhook came to: the status, and the outcome or the error's code. */
export type Came = [status: number, outcome: string]

/** The whole server beside a vendor's double, and what an investor, a vendor and a customer do there. */
export type VendorFixture = Awaited<ReturnType<typeof startVendorFixture>>

export async function startVendorFixture(
  definition: ProviderDefinition,
  vendor: VendorDouble,
  settings: Record<string, string> = {},
) {
  const { name } = definition
  const app: TestApp = await startTestApp(
    { ...vendor.settings, VOUCH_TEST_PROVIDER: name, ...settings },
    undefined,
    undefined,
    [...providers.filter((one) => one.name !== name), definition],
  )
  const key: TestKey = await app.key({ plan: "enterprise" })

  const call = async (procedure: string, input: unknown) => {
    const response = await fetch(`${app.origin}/api/trpc/verification.${procedure}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(input),
    })
    // biome-ignore lint/suspicious/noExplicitAny: answers of any shape
    const json = (await response.json()) as any
    return { status: response.status, data: json.result?.data, error: json.error?.data }
  }

  /** The session, as it stands. */
  const session = async (sessionId: string): Promise<OurSession> => {
    const [row] = await sql<OurSession[]>`
      select session_id as "sessionId", id as "attestationId", investor_id as "investorId", schema_id as "schemaId",
        wallet, provider_reference as reference from attestations where session_id = ${sessionId}`
    return row!
  }

  /** Starts a verification, of a person where one is named; not consented yet. */
  const start = async ({
    wallet = newWallet() as string,
    externalId,
    schemaId = "kyc_individual_v1",
    by = key,
  }: Start = {}) => {
    const { status, json } = await app.request({
      method: "POST",
      path: "/kyc/start",
      key: by.apiKey,
      json: { userPubkey: wallet, schemaId, ...(externalId === undefined ? {} : { externalId }) },
    })
    if (status !== 200) throw new Error(`kyc/start answered ${status}: ${JSON.stringify(json)}`)
    return session(json.session_id)
  }

  const goOn = ({ sessionId }: { sessionId: string }) => call("continue", { sessionId, consent: true })

  return {
    app,
    vendor,
    name,
    key,
    session,
    start,
    /** The investor consents, and is sent on. */
    goOn,
    /** Starts, and is on the vendor's page. */
    async handedOver(how: Start = {}): Promise<OurSession> {
      const { sessionId } = await start(how)
      const { status, error } = await goOn({ sessionId })
      if (status !== 200) throw new Error(`continue answered ${status}: ${JSON.stringify(error)}`)
      return session(sessionId)
    },
    /** The hosted page, as the investor comes back to it. */
    view: async ({ sessionId }: { sessionId: string }) => (await call("view", { sessionId })).data,
    /** Sends a webhook, with the vendor's signature unless other headers are given. */
    async send(body: string | Buffer, headers?: Record<string, string | string[]>): Promise<Came> {
      const { status, json } = await app.request({
        method: "POST",
        path: `/kyc/webhook/${name}`,
        headers: { "content-type": "application/json", ...(headers ?? vendor.sign(String(body))) },
        body,
      })
      return [status, json.outcome ?? json.error]
    },
    statusOf: async ({ wallet }: { wallet: string }): Promise<string> =>
      (await app.request({ method: "GET", path: `/kyc/status/${wallet}`, key: key.apiKey })).json.status,
    waitForStatus: ({ wallet }: { wallet: string }, wanted: string) => app.waitForStatus(key, wallet, wanted),
    /** What was recorded of the person. */
    async claims({ attestationId }: OurSession): Promise<Claims | null> {
      const [row] = await sql<
        { claims: Buffer | null }[]
      >`select claims from attestations where id = ${attestationId}`
      return row!.claims && JSON.parse(unseal(attestationId, row!.claims))
    },
    /** What was applied or noted of its webhooks. */
    events: async ({ attestationId }: OurSession): Promise<string[]> => {
      const rows = await sql<{ outcome: string }[]>`
        select outcome from webhook_events where attestation_id = ${attestationId} order by received_at`
      return rows.map((row) => row.outcome)
    },
    /** What the reviews of the person were opened for, after the vendor had decided. */
    findings: async ({ investorId }: OurSession): Promise<string[]> => {
      const rows = await sql<{ finding: string }[]>`
        select e.finding from reviews r
        join review_entries e on e.workspace_id = r.workspace_id and e.review_id = r.id
        where r.workspace_id = ${key.workspaceId} and r.investor_id = ${investorId} and r.kind = 'signal'
        order by e.seq`
      return rows.map((row) => row.finding)
    },
    /** How often the chain was told to attest a wallet. */
    async attests({ wallet }: OurSession): Promise<number> {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from operations where wallet = ${wallet} and kind = 'attest'`
      return row!.count
    },
    /** All that the database keeps of a session, as text. */
    async kept({ attestationId }: OurSession): Promise<string> {
      const rows = await sql<{ row: string }[]>`
        select row_to_json(a)::text as row from attestations a where a.id = ${attestationId}
        union all select row_to_json(e)::text from webhook_events e where e.attestation_id = ${attestationId}`
      return rows.map(({ row }) => row).join("\n")
    },
    /** Lets the time come at which the vendor is asked, as if it had passed, and waits until it was. */
    async poll({ sessionId }: { sessionId: string }): Promise<void> {
      await sql`
        update attestations set ask_at = now() - interval '1 second' where session_id = ${sessionId} and status = 'pending'`
      await waitFor(async () => {
        const [row] = await sql`select ask_at, asks from attestations where session_id = ${sessionId}`
        return row!.ask_at === null || row!.ask_at > new Date()
      }, "the vendor to be asked")
    },
    /** What is done, and how many calls of the vendor's API it took. */
    async callsFor<T>(work: () => Promise<T>): Promise<[T, number]> {
      const before = vendor.requests.length
      return [await work(), vendor.requests.length - before]
    },
    async stop(): Promise<void> {
      await app.stop()
      await vendor.stop()
      const written = app.log.join("\n")
      for (const secret of [...vendor.secrets, ...vendor.personal]) {
        if (written.includes(secret)) throw new Error(`It reached the log: ${secret}`)
      }
    },
  }
}

type Start = { wallet?: string; externalId?: string; schemaId?: string; by?: TestKey }
