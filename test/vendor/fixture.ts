import { sql } from "#db/client.ts"
import { unseal } from "#server/domain/deployment/sealed.ts"
import type { ProviderDefinition, Signal } from "#server/domain/providers/provider.ts"
import { providers } from "#server/domain/providers/table.ts"
import type { Claims } from "#shared/claims.ts"
import { newWallet, startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import type { Fault } from "./server.ts"

/** A vendor's decisions. `withdrawn` takes an approval back. */
export const outcomes = ["approved", "rejected", "resubmission_requested", "in_review", "expired", "withdrawn"] as const
export type Outcome = (typeof outcomes)[number]

/** A session, with every id by which a vendor may know it. */
export type OurSession = {
  sessionId: string
  attestationId: string
  investorId: string
  schemaId: string
  wallet: string
  /** The vendor's id, once it has opened its own session. */
  reference: string | null
}

/** A vendor's server. It checks requests like the vendor. */
export type VendorDouble = {
  /** Vouch's settings for this vendor, in both modes. */
  settings: Record<string, string>
  /** The settings with credentials that the vendor does not know. */
  wrongSettings: Record<string, string>
  /** Texts that must never be logged: keys, secrets, tickets of its pages. */
  secrets: string[]
  /** The vendor's facts about the person that Vouch must not store: a name, a birth date, a document's number. */
  personal: string[]
  /** Every call of its API with the status of the response; 0 for none. */
  requests: { method: string; path: string; status: number }[]
  misbehave(as: Fault | null): void
  /** Changes its responses, until called with null. */
  alter(how: ((text: string) => string) | null): void
  /** The number of sessions that it opened for Vouch's session or person. */
  opened(session: OurSession): number
  /** Decides at a time, without sending a webhook. Returns the webhook's body. */
  decide(session: OurSession, outcome: Outcome, at?: Date): string
  /** Has the investor submit, without a decision. Returns the webhook's body, if the vendor sends one. */
  submit?(session: OurSession): string
  /** Bodies of webhooks for a signal about an approved person, one for each form. */
  signal(session: OurSession, signal: Signal, at?: Date): string[]
  /** Bodies of documented webhooks about the session that decide nothing. */
  silent(session: OurSession): string[]
  /** The headers of a webhook, with the vendor's signature for a time. */
  sign(body: string, by?: { secret?: string; at?: Date }): Record<string, string>
  /** Whether it was asked to delete the data of a reference. */
  redacted(reference: string): boolean
  stop(): Promise<void>
}

/** The differences between vendors. */
export type VendorContract = {
  definition: ProviderDefinition
  startDouble(): Promise<VendorDouble>
  /** Settings that the server needs to start. */
  required: string[]
  /** Headers that a signed webhook must have. The first one is the signature. */
  signatureHeaders: [string, ...string[]]
  /** Whether the header can have several signatures, during a rotation of the secret. */
  severalSignatures: boolean
  /** The maximum age of a signature; null if the time is not signed. */
  window_s: number | null
  /** Whether the decision is read from the vendor's API, because nothing signs the webhook's time. */
  isFetched: boolean
  /** The decisions that it can make. */
  outcomes: readonly Outcome[]
  /** Whether it reports a submission before it decides. */
  submits: boolean
  /** The signals that it can send about people whom it approved. */
  signals: readonly Signal[]
  /** Whether its API can delete a person's data. */
  deletes: boolean
  /** Whether it opens another session after a lost response, because it has no idempotency keys. */
  opensAgain: boolean
  /** The claims of a person whom the double approves. */
  claims: Claims
}

/** The response to a webhook: the status, and the outcome or the error's code. */
export type Came = [status: number, outcome: string]

/** The whole server with a vendor's double, and the actions of an investor, a vendor and a customer. */
export type VendorFixture = Awaited<ReturnType<typeof startVendorFixture>>

export async function startVendorFixture(
  definition: ProviderDefinition,
  vendor: VendorDouble,
  settings: Record<string, string> = {},
) {
  const { name } = definition
  const app: TestApp = await startTestApp(
    { ...vendor.settings, VOUCH_TEST_PROVIDER: name, ...settings },
    { providers: [...providers.filter((one) => one.name !== name), definition] },
  )
  const key: TestKey = await app.key({ plan: "enterprise" })

  const call = async (procedure: string, input: unknown) => {
    const response = await fetch(`${app.origin}/api/trpc/verification.${procedure}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(input),
    })
    // biome-ignore lint/suspicious/noExplicitAny: responses can have any shape
    const json = (await response.json()) as any
    return { status: response.status, data: json.result?.data, error: json.error?.data }
  }

  /** The current session. */
  const session = async (sessionId: string): Promise<OurSession> => {
    const [row] = await sql<OurSession[]>`
      select session_id as "sessionId", id as "attestationId", investor_id as "investorId", schema_id as "schemaId",
        wallet, provider_reference as reference from attestations where session_id = ${sessionId}`
    return row!
  }

  /** Starts a verification, of a given person if there is one, without consent. */
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
    /** The investor consents and continues to the vendor. */
    goOn,
    /** Starts a session whose investor is on the vendor's page. */
    async handedOver(how: Start = {}): Promise<OurSession> {
      const { sessionId } = await start(how)
      const { status, error } = await goOn({ sessionId })
      if (status !== 200) throw new Error(`continue answered ${status}: ${JSON.stringify(error)}`)
      return session(sessionId)
    },
    /** The hosted page when the investor returns to it. */
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
    /** The recorded claims of the person. */
    async claims({ attestationId }: OurSession): Promise<Claims | null> {
      const [row] = await sql<{ claims: Buffer | null }[]>`select claims from attestations where id = ${attestationId}`
      return row!.claims && JSON.parse(unseal(attestationId, row!.claims))
    },
    /** The recorded outcomes of its webhooks. */
    events: async ({ attestationId }: OurSession): Promise<string[]> => {
      const rows = await sql<{ outcome: string }[]>`
        select outcome from webhook_events where attestation_id = ${attestationId} order by received_at`
      return rows.map((row) => row.outcome)
    },
    /** Findings of the person's reviews after the vendor's decision. */
    findings: async ({ investorId }: OurSession): Promise<string[]> => {
      const rows = await sql<{ finding: string }[]>`
        select e.finding from reviews r
        join review_entries e on e.workspace_id = r.workspace_id and e.review_id = r.id
        where r.workspace_id = ${key.workspaceId} and r.investor_id = ${investorId} and r.kind = 'signal'
        order by e.seq`
      return rows.map((row) => row.finding)
    },
    /** How many attest operations a wallet has. */
    async attests({ wallet }: OurSession): Promise<number> {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from operations where wallet = ${wallet} and kind = 'attest'`
      return row!.count
    },
    /** Everything that the database stores about a session, as text. */
    async kept({ attestationId }: OurSession): Promise<string> {
      const rows = await sql<{ row: string }[]>`
        select row_to_json(a)::text as row from attestations a where a.id = ${attestationId}
        union all select row_to_json(e)::text from webhook_events e where e.attestation_id = ${attestationId}`
      return rows.map(({ row }) => row).join("\n")
    },
    /** Makes Vouch ask the vendor now, and waits until it has. */
    async poll({ sessionId }: { sessionId: string }): Promise<void> {
      await sql`
        update attestations set ask_at = now() - interval '1 second' where session_id = ${sessionId} and status = 'pending'`
      await waitFor(async () => {
        const [row] = await sql`select ask_at, asks from attestations where session_id = ${sessionId}`
        return row!.ask_at === null || row!.ask_at > new Date()
      }, "the vendor to be asked")
    },
    /** Returns the result of the work and the number of calls it made to the vendor's API. */
    async callsFor<T>(work: () => Promise<T>): Promise<[T, number]> {
      const before = vendor.requests.length
      return [await work(), vendor.requests.length - before]
    },
    async stop(): Promise<void> {
      await app.stop()
      await vendor.stop()
      const written = app.log.join("\n")
      for (const secret of [...vendor.secrets, ...vendor.personal]) {
        if (written.includes(secret)) throw new Error(`This secret is in the log: ${secret}`)
      }
    },
  }
}

type Start = { wallet?: string; externalId?: string; schemaId?: string; by?: TestKey }
