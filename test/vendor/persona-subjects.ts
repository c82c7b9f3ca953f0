import { randomUUID } from "node:crypto"

/** An id in Persona's form: a prefix for the type, and 24 characters. */
export const newId = (prefix: string) => `${prefix}_${randomUUID().replaceAll("-", "").slice(0, 24)}`

/** A report about an account, or only about an inquiry. Vouch never sees its findings. */
export const report = ({ account, inquiry }: { account?: string | undefined; inquiry?: string }) => ({
  type: "report/watchlist",
  id: newId("rep"),
  attributes: { status: "ready", "has-match": true, query: { "name-first": "Ada" }, result: [{ score: 98 }] },
  relationships: {
    inquiry: { data: inquiry === undefined ? null : { type: "inquiry", id: inquiry } },
    account: { data: account === undefined ? null : { type: "account", id: account } },
    "report-template-version": { data: { type: "report-template-version/watchlist", id: "rptv_1" } },
  },
})

/** A case, about accounts and inquiries. */
export const caseOf = ({ accounts, inquiries }: { accounts: string[]; inquiries: string[] }) => ({
  type: "case",
  id: newId("case"),
  attributes: { status: "open", name: "Ada Lovelace", resolution: null },
  relationships: {
    accounts: { data: accounts.map((id) => ({ type: "account", id })) },
    inquiries: { data: inquiries.map((id) => ({ type: "inquiry", id })) },
    reports: { data: [] },
  },
})
