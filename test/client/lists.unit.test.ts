import { expect, test } from "vitest"
import { json, serve } from "./scripted-server.ts"

const page = (data: unknown[], next_cursor: string | null) => json(200, { data, next_cursor })

test("await returns one page, and for await returns all items of all pages", async () => {
  const server = await serve(page([1, 2], "c1"), page([1, 2], "c1"), page([], "c2"), page([3], null))
  const list = server.client().listAttestations({ status: "verified", limit: 2 })
  expect(await list).toEqual({ data: [1, 2], next_cursor: "c1" })
  expect(server.asked).toHaveLength(1)
  const all: unknown[] = []
  for await (const one of list) all.push(one)
  expect(all).toEqual([1, 2, 3])
  expect(server.asked.map(({ path }) => path).slice(1)).toEqual(
    ["", "&cursor=c1", "&cursor=c2"].map((cursor) => `/v1/attestations?status=verified&limit=2${cursor}`),
  )
})

test("a list that is neither awaited nor iterated makes no request", async () => {
  const server = await serve(page([], null))
  server.client().listInvestors()
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(server.asked).toEqual([])
})

const events = (last_sequence: number, ...sequences: number[]) =>
  json(200, { data: sequences.map((sequence) => ({ sequence })), last_sequence })
const collect = async (list: AsyncIterable<{ sequence: number }>) => {
  const all: number[] = []
  for await (const { sequence } of list) all.push(sequence)
  return all
}

test("events are read up to the latest one, each page by the sequence of the last event", async () => {
  const server = await serve(events(7, 4, 5), events(7, 6, 7))
  expect(await collect(server.client().listEvents({ after: 3 }))).toEqual([4, 5, 6, 7])
  expect(server.asked.map(({ path }) => path)).toEqual(["/v1/events?after=3", "/v1/events?after=5"])
})

test.each([
  ["at the start", [events(9, 5)]],
  ["within a page", [events(9, 4, 6)]],
  ["between pages", [events(9, 4), events(9, 6)]],
])("a missing event is an error: %s", async (_, answers) => {
  const server = await serve(...answers)
  await expect(collect(server.client().listEvents({ after: 3 }))).rejects.toThrow("one is missing")
})

test("events of one type may have others in between", async () => {
  const server = await serve(events(9, 4, 6), events(9))
  expect(await collect(server.client().listEvents({ after: 3, type: "token.paused" }))).toEqual([4, 6])
})

test.each(["created_after", "created_before"])(
  "events of a time range may have others before and in between: %s",
  async (name) => {
    const server = await serve(events(9, 4, 6), events(9))
    const params = { after: 0, [name]: "2026-01-01T00:00:00Z" }
    expect(await collect(server.client().listEvents(params))).toEqual([4, 6])
  },
)

test("following events continues after the last one, until the signal", async () => {
  const server = await serve(events(1, 1), events(3, 2, 3))
  const ending = new AbortController()
  const seen: number[] = []
  const follow = async () => {
    for await (const { sequence } of server.client().followEvents({}, { signal: ending.signal })) {
      seen.push(sequence)
      if (sequence === 3) ending.abort(new Error("enough"))
    }
  }
  await expect(follow()).rejects.toThrow("enough")
  expect(seen).toEqual([1, 2, 3])
  expect(server.asked.map(({ path }) => path)).toEqual(["/v1/events?limit=1000", "/v1/events?after=1&limit=1000"])
})

test("if a failover lost events that were read, the client reads again from the server's position, each id once", async () => {
  const page = (last_sequence: number, ...rows: [sequence: number, generation: string, id: string][]) =>
    json(200, {
      data: rows.map(([sequence, generation, id]) => ({
        sequence,
        cursor: `${sequence}-${generation}`,
        id,
      })),
      last_sequence,
    })
  const error = { error: "events_rewound", detail: "cursor: lost", request_id: "req_1" }
  const gone = json(410, error, { "resume-cursor": "1-a" })
  const server = await serve(
    page(3, [1, "a", "evt_1"], [2, "a", "evt_2"], [3, "a", "evt_3"]),
    gone,
    page(4, [2, "b", "evt_new"], [3, "b", "evt_2"], [4, "b", "evt_4"]),
  )
  const rewound: unknown[] = []
  const client = server.client({ onRewound: (one) => rewound.push(one) })
  const seen: string[] = []
  for await (const { id } of client.followEvents({ cursor: "0" })) {
    seen.push(id)
    if (id === "evt_4") break
  }
  expect(seen).toEqual(["evt_1", "evt_2", "evt_3", "evt_new", "evt_4"])
  expect(rewound).toEqual([{ cursor: "3-a", resumeCursor: "1-a", detail: "cursor: lost" }])
  expect(server.asked.map(({ path }) => path)).toEqual(
    ["0", "3-a", "1-a"].map((cursor) => `/v1/events?cursor=${cursor}&limit=1000`),
  )
})

test("position 0 counts: a reader who starts at the first event gets an error if it is no longer kept", async () => {
  const gone = json(410, { error: "events_expired", detail: "after: gone", request_id: "req_1" })
  const server = await serve(gone)
  const first = server.client().followEvents({ after: 0 }).next()
  await expect(first).rejects.toMatchObject({ code: "events_expired", status: 410 })
  expect(server.asked.map(({ path }) => path)).toEqual(["/v1/events?after=0&limit=1000"])
})
