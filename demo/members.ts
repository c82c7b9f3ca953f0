import { members } from "./company.ts"

type Member = (typeof members)[number]
type Request = { method: "GET" | "POST"; input: object }

/** Calls the dashboard's API, as one of the members or as a person without a session. */
class Desk {
  readonly #origin: string
  readonly #workspace: string
  readonly #cookie: string

  private constructor(origin: string, workspace: string, cookie: string) {
    this.#origin = origin
    this.#workspace = workspace
    this.#cookie = cookie
  }

  static async signIn(origin: string, workspace: string, email: string, password: string): Promise<Desk> {
    const answer = await fetch(`${origin}/api/auth/sign-in/email`, {
      method: "POST",
      headers: { "content-type": "application/json", origin },
      body: JSON.stringify({ email, password }),
    })
    if (!answer.ok) throw new Error(`The sign-in of ${email} was refused: ${await answer.text()}`)
    const cookies = answer.headers.getSetCookie().map((one) => one.split(";")[0])
    return new Desk(origin, workspace, cookies.join("; "))
  }

  static withoutSession = (origin: string) => new Desk(origin, "", "")

  query = <Data>(procedure: string, input: object) => this.#call<Data>(procedure, { method: "GET", input })
  mutate = <Data>(procedure: string, input: object) => this.#call<Data>(procedure, { method: "POST", input })

  async #call<Data>(procedure: string, { method, input }: Request): Promise<Data> {
    const json = JSON.stringify(input)
    const query = method === "GET" ? `?${new URLSearchParams({ input: json })}` : ""
    const answer = await fetch(`${this.#origin}/api/trpc/${procedure}${query}`, {
      method,
      headers: {
        "content-type": "application/json",
        origin: this.#origin,
        cookie: this.#cookie,
        "x-vouch-workspace": this.#workspace,
      },
      ...(method === "POST" && { body: json }),
    })
    if (!answer.ok) throw new Error(`${procedure} was refused: ${await answer.text()}`)
    return ((await answer.json()) as { result: { data: Data } }).result.data
  }
}

/** Creates the members of a new account, each with this password. The link is the owner's. Can be repeated. */
export async function createMembers(origin: string, ownerLink: string, workspace: string, password: string) {
  const [owner, ...others] = members
  const hasJoined = ({ email }: Member) =>
    Desk.signIn(origin, workspace, email, password).then(
      () => true,
      () => false,
    )
  const join = (link: string, { name, email }: Member) => {
    const token = new URL(link).searchParams.get("token")
    return Desk.withoutSession(origin).mutate("setup.createUser", { name, email, token, password })
  }
  if (!(await hasJoined(owner))) await join(ownerLink, owner)
  const desk = await Desk.signIn(origin, workspace, owner.email, password)
  for (const member of others) {
    if (await hasJoined(member)) continue
    const { link } = await desk.mutate<{ link: string }>("member.invite", { role: member.role })
    await join(link, member)
  }
}

/** The owner hands two reviews to the compliance officer, who writes a note about one. */
export async function beginReviews(origin: string, workspace: string, password: string): Promise<void> {
  const [owner, compliance] = members
  const desk = await Desk.signIn(origin, workspace, owner.email, password)
  const reviews = await desk.query<{ data: { review_id: string; external_id: string }[] }>("review.list", {})
  const reviewers = await desk.query<{ data: { user_id: string; name: string }[] }>("review.reviewers", {})
  const idOf = (name: string) => reviews.data.find(({ external_id }) => external_id === name)!.review_id
  const review_ids = ["pavel-novak-1074", "grace-kim-1085"].map(idOf)
  const assignee = reviewers.data.find(({ name }) => name === compliance.name)!.user_id
  await desk.mutate("review.assignMany", { review_ids, assignee })
  const officer = await Desk.signIn(origin, workspace, compliance.email, password)
  const text = "Same name and year of birth as the person on the list, other place of birth. Asked for a utility bill."
  await officer.mutate("review.note", { review_id: review_ids[0]!, text })
}
