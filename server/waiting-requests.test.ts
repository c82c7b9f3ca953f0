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

/** As many requests of one connection, without an answer. */
function take(waiting: WaitingRequests, times: number, network: string, socket = newSocket()) {
  return Array.from({ length: times }, () => {
    const response = newResponse()
    return { socket, response, taken: waiting.take(socket, response, network) }
  })
}

test("a connection with too many requests is closed, and nothing more of it is answered", () => {
  const waiting = new WaitingRequests({ mostOfConnection: 3, mostOfAll: 100 })
  const socket = newSocket()
  const taken = take(waiting, 6, "a", socket).map((one) => one.taken)
  expect(taken.slice(3)).toEqual(["over", "over", "over"])
  expect(socket.destroyed).toBe(true)
  // Their work goes on, and takes its place until it is done.
  expect(waiting.count).toBe(3)
  for (const place of taken.slice(0, 3)) (place as Place).workDone()
  expect(waiting.count).toBe(0)
})

test("a place is given back when the work is done and the answer is sent, whichever comes first", () => {
  const waiting = new WaitingRequests()
  const [first, second] = take(waiting, 2, "a")
  ;(first!.taken as Place).workDone()
  expect(waiting.count).toBe(2)
  first!.response.emit("close")
  first!.response.emit("close")
  second!.response.emit("close")
  expect(waiting.count).toBe(1)
  ;(second!.taken as Place).workDone()
  ;(second!.taken as Place).workDone()
  expect(waiting.count).toBe(0)
})

test("no network has more than are left for all others", () => {
  const waiting = new WaitingRequests({ mostOfConnection: 100, mostOfAll: 8 })
  const greedy = take(waiting, 6, "a")
  expect(greedy.map(({ taken }) => typeof taken)).toEqual([...Array(4).fill("object"), "string", "string"])
  // The first refusal is told, as the last answer of its connection.
  expect(greedy.slice(4).map(({ taken }) => taken)).toEqual(["busy", "over"])
  expect(take(waiting, 3, "b").map(({ taken }) => typeof taken)).toEqual(["object", "object", "string"])
  expect(take(waiting, 1, "c").map(({ taken }) => typeof taken)).toEqual(["object"])
  greedy[0]!.socket.destroy()
  for (const { taken } of greedy.slice(0, 4)) (taken as Place).workDone()
  expect(waiting.count).toBe(3)
  expect(typeof take(waiting, 1, "a")[0]!.taken).toBe("object")
})
