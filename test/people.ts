import { sql } from "#db/client.ts"
import { type Account, createAccount } from "#server/domain/accounts/create.ts"
import { createInvitation } from "#server/domain/people/invitations.ts"
import { newId } from "#server/lib/ids.ts"
import type { Mode } from "#shared/mode.ts"
import type { Role } from "#shared/roles.ts"
import type { TestApp } from "./app.ts"

export const PASSWORD = "correct horse battery staple"

/** An answer of the pages' procedures: what it gave, or the error object. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
export type Answer = { status: number; data: any; error: any; headers: Headers }

type Asked = Omit<RequestInit, "headers"> & { headers?: Record<string, string> }

/** Where the server is, and what a proxy before it adds to every request. */
type Door = Pick<TestApp, "origin"> & { headers?: Record<string, string> }

/** A dashboard user, with a browser's cookies. */
export class Browser {
  readonly #origin: string
  readonly #headers: Record<string, string>
  readonly cookies = new Map<string, string>()
  /** Sent with procedures. */
  workspaceId: string | null = null

  constructor({ origin, headers = {} }: Door) {
    this.#origin = origin
    this.#headers = headers
  }

  async fetch(path: string, { headers = {}, ...init }: Asked = {}) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const response = await fetch(this.#origin + path, {
      redirect: "manual",
      ...init,
      headers: {
        ...(cookie && { cookie }),
        ...(init.method === "POST" && { "content-type": "application/json", origin: this.#origin }),
        ...this.#headers,
        ...headers,
      },
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      if (value === "" || /max-age=0/i.test(line)) this.cookies.delete(name!)
      else this.cookies.set(name!, value!)
    }
    return response
  }

  /** better-auth's endpoints. */
  async auth(path: string, json: unknown = {}, headers: Record<string, string> = {}) {
    const response = await this.fetch(`/api/auth${path}`, {
      method: "POST",
      body: JSON.stringify(json),
      headers,
    })
    return { status: response.status, json: await response.json().catch(() => null) }
  }

  async query(path: string, input: unknown = {}): Promise<Answer> {
    return this.#procedure(`${path}?input=${encodeURIComponent(JSON.stringify(input))}`, {})
  }

  async mutate(path: string, input: unknown = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#procedure(path, { method: "POST", body: JSON.stringify(input), headers })
  }

  async #procedure(path: string, init: Asked): Promise<Answer> {
    const headers = { ...(this.workspaceId && { "x-vouch-workspace": this.workspaceId }), ...init.headers }
    const response = await this.fetch(`/api/trpc/${path}`, { ...init, headers })
    const text = await response.text()
    const json = text.startsWith("{") ? JSON.parse(text) : {}
    return {
      status: response.status,
      data: json.result?.data,
      error: json.error?.data ?? (json.error ? json : undefined),
      headers: response.headers,
    }
  }

  signIn(email: string, password = PASSWORD) {
    return this.auth("/sign-in/email", { email, password })
  }
}

/** A member of an account (a new one, unless given), who has come in by a link and signed in. */
export async function member(
  app: Door,
  { role = "owner", mode = "test", account }: { role?: Role; mode?: Mode; account?: Account } = {},
) {
  const own = account ?? (await createAccount({ name: `Account ${newId("acct")}`, plan: "free" }))
  const [inviter] = await sql<{ user_id: string }[]>`
    select user_id from members where account_id = ${own.id} and role = 'owner' limit 1`
  const email = `${newId("evt").toLowerCase()}@example.com`
  const { link } = await createInvitation(sql, {
    accountId: own.id,
    role,
    email,
    invitedBy: inviter?.user_id ?? null,
    mailed: true,
  })
  const token = new URL(link).searchParams.get("token")!
  const browser = new Browser(app)
  const created = await browser.mutate("setup.createUser", {
    token,
    name: `The ${role}`,
    email,
    password: PASSWORD,
  })
  if (created.status !== 200) throw new Error(`setup.createUser answered ${JSON.stringify(created.error)}`)
  const signedIn = await browser.signIn(email)
  if (signedIn.status !== 200) throw new Error(`signing in answered ${JSON.stringify(signedIn)}`)
  browser.workspaceId = own.workspaces[mode]
  return { browser, email, account: own, workspaceId: own.workspaces[mode], role }
}
