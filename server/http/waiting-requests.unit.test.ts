import { EventEmitter } from "node:events"
import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { expect, test } from "vitest"
import { type Place, WaitingRequests } from "./waiting-requests.ts"

class FakeSocket extends EventEmitter {
  destroyed = false
  destroy() {
    this.destroyed = true
    this.emit("close")
  }
}

const newSocket = () => new FakeSocket() as unknown as Socket
const newResponse = () => new EventEmitter() as ServerResponse

/** Begins work, and returns a function to end it. */
function work(place: Place) {
  const { promise, resolve } = Promise.withResolvers<void>()
  let outcome: "waits" | "works" | "never" = "waits"
  place.runAfterEarlier(
    () => {
      outcome = "works"
      return promise
    },
    () => {
      outcome = "never"
    },
  )
  const done = async () => {
    resolve()
    await new Promise((next) => setImmediate(next))
  }
  return { done, outcome: () => outcome }
}

/** This many unanswered requests of one connection. */
function take(waiting: WaitingRequests, times: number, network: string, socket = newSocket()) {
  return Array.from({ length: times }, () => {
    const response = newResponse()
    return { socket, response, taken: waiting.take(socket, response, network) }
  })
}

test("a connection with too many requests is closed, and no more of them are answered", async () => {
  const waiting = new WaitingRequests({ mostOfConnection: 3, mostOfAll: 100 })
  const socket = newSocket()
  const places = take(waiting, 3, "a", socket).map((one) => one.taken as Place)
  const works = places.map(work)
  expect(take(waiting, 3, "a", socket).map((one) => one.taken)).toEqual(["over", "over", "over"])
  expect(socket.destroyed).toBe(true)
  // Started work continues, and keeps its slot until it is done.
  expect(works.map(({ outcome }) => outcome())).toEqual(["works", "never", "never"])
  expect(waiting.count).toBe(1)
  await works[0]!.done()
  expect(waiting.count).toBe(0)
})

test("a request's work begins when the earlier answers of its connection are sent", async () => {
  const waiting = new WaitingRequests()
  const taken = take(waiting, 3, "a")
  const works = taken.map((one) => work(one.taken as Place))
  const outcomes = () => works.map(({ outcome }) => outcome())
  expect(outcomes()).toEqual(["works", "waits", "waits"])
  await works[0]!.done()
  expect(outcomes()).toEqual(["works", "waits", "waits"])
  taken[0]!.response.emit("close")
  expect(outcomes()).toEqual(["works", "works", "waits"])
  // As in Node: answers get the event before other listeners.
  const { socket } = taken[0]!
  Object.assign(socket, { destroyed: true })
  taken[1]!.response.emit("close")
  expect(outcomes()).toEqual(["works", "works", "waits"])
  socket.emit("close")
  expect(outcomes()).toEqual(["works", "works", "never"])
  expect(work(take(waiting, 1, "a")[0]!.taken as Place).outcome()).toBe("works")
})

test("a place is freed when the work is done and the answer is sent, in any order", async () => {
  const waiting = new WaitingRequests()
  const [first, second] = [...take(waiting, 1, "a"), ...take(waiting, 1, "a")]
  const [one, other] = [first, second].map((it) => work(it!.taken as Place))
  await one!.done()
  expect(waiting.count).toBe(2)
  first!.response.emit("close")
  first!.response.emit("close")
  second!.response.emit("close")
  expect(waiting.count).toBe(1)
  await other!.done()
  expect(waiting.count).toBe(0)
})

/** One request each on this many connections. */
const single = (waiting: WaitingRequests, times: number, network: string) =>
  Array.from({ length: times }, () => take(waiting, 1, network)[0]!)

test("the longest queue is closed for a connection without one: first in its network, then in all", () => {
  const waiting = new WaitingRequests({ mostOfConnection: 100, mostOfAll: 12 })
  const [longer, long] = [4, 2].map((times) => take(waiting, times, "a")[0]!)
  // The network has as many as are left for all others.
  expect(typeof single(waiting, 1, "a")[0]!.taken).toBe("object")
  expect([longer!.socket.destroyed, long!.socket.destroyed]).toEqual([true, false])
  expect(waiting.count).toBe(3)
  const others = ["b", "c"].map((network) => take(waiting, 3, network)[0]!)
  single(waiting, 2, "d")
  single(waiting, 1, "e")
  expect(waiting.count).toBe(12)
  expect(typeof single(waiting, 1, "f")[0]!.taken).toBe("object")
  expect([long!, ...others].map(({ socket }) => socket.destroyed)).toEqual([false, true, false])
})

test("no queue is closed for one that would be as long as any other", () => {
  const waiting = new WaitingRequests({ mostOfConnection: 100, mostOfAll: 6 })
  const first = take(waiting, 2, "a")
  take(waiting, 2, "b")
  const last = take(waiting, 3, "c").map(({ taken }) => taken)
  expect([typeof last[0], ...last.slice(1)]).toEqual(["object", "busy", "over"])
  expect(first[0]!.socket.destroyed).toBe(false)
})

test("no network has more than are left for all others", () => {
  const waiting = new WaitingRequests({ mostOfConnection: 100, mostOfAll: 8 })
  const greedy = single(waiting, 6, "a")
  expect(greedy.map(({ taken }) => typeof taken)).toEqual([...Array(4).fill("object"), "string", "string"])
  expect(single(waiting, 3, "b").map(({ taken }) => typeof taken)).toEqual(["object", "object", "string"])
  expect(single(waiting, 1, "c").map(({ taken }) => typeof taken)).toEqual(["object"])
  greedy[0]!.socket.destroy()
  expect(waiting.count).toBe(6)
  expect(typeof single(waiting, 1, "c")[0]!.taken).toBe("object")
})
