import { TOKEN_2022_PROGRAM_ID } from "@solana/spl-token"
import bs58 from "bs58"
import { WebSocket } from "ws"
import { until } from "../client.ts"
import type { Prepared } from "./calls.ts"
import { answerShape, parseExact, type Shapes, shapeOf } from "./shape.ts"

/** A slot's updates come in any order. This one begins a slot. */
const isFirst = ({ method, params }: Message, subscription: number) =>
  params?.subscription === subscription &&
  (method !== "slotsUpdatesNotification" || (params.result as { type: string }).type === "createdBank")

type Message = { id?: number; method?: string; params?: { subscription: number; result: unknown } }

/** The WebSocket's response to each subscription, and its first notification while a transaction lands. */
export async function socketShapes(on: Prepared): Promise<Shapes> {
  const shapes: Shapes = {}
  const { port, hostname } = new URL(on.url)
  const socket = new WebSocket(`ws://${hostname}:${Number(port) + 1}`)
  const messages: Message[] = []
  socket.on("message", (data) => messages.push(parseExact(String(data)) as Message))
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject))
  let id = 0
  const ask = async (method: string, params?: unknown) => {
    const mine = ++id
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: mine, method, ...(params === undefined ? {} : { params }) }))
    return until(async () => messages.find((one) => one.id === mine), 3_000).catch(() => ({
      result: "silence",
    }))
  }
  const me = on.payer.publicKey.toBase58()
  const holding = on.tokenAccount.toBase58()
  const program = TOKEN_2022_PROGRAM_ID.toBase58()
  const CONFIRMED = { commitment: "confirmed" }
  const next = await on.signed([on.transfer(77_777_777), on.memo("notified")])
  const signature = bs58.encode(next.subarray(1, 65))
  const memoOf = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"
  const subscriptions: [string, string, unknown?][] = [
    ["slotSubscribe", "slotSubscribe"],
    ["rootSubscribe", "rootSubscribe"],
    ["slotsUpdatesSubscribe", "slotsUpdatesSubscribe"],
    ["slotSubscribe null", "slotSubscribe", null],
    ["slotSubscribe []", "slotSubscribe", []],
    ["accountSubscribe", "accountSubscribe", [me, CONFIRMED]],
    ["accountSubscribe base64+zstd", "accountSubscribe", [me, { ...CONFIRMED, encoding: "base64+zstd" }]],
    ["accountSubscribe jsonParsed", "accountSubscribe", [me, { ...CONFIRMED, encoding: "jsonParsed" }]],
    ["accountSubscribe finalized", "accountSubscribe", [me]],
    [
      "programSubscribe",
      "programSubscribe",
      ["11111111111111111111111111111111", { ...CONFIRMED, encoding: "base64" }],
    ],
    [
      "programSubscribe size",
      "programSubscribe",
      ["11111111111111111111111111111111", { ...CONFIRMED, encoding: "base64", filters: [{ dataSize: 0 }] }],
    ],
    ["programSubscribe no encoding", "programSubscribe", ["11111111111111111111111111111111", CONFIRMED]],
    ["logsSubscribe all", "logsSubscribe", ["all", CONFIRMED]],
    ["logsSubscribe mentions", "logsSubscribe", [{ mentions: [memoOf] }, CONFIRMED]],
    ["signatureSubscribe", "signatureSubscribe", [signature, CONFIRMED]],
    [
      "signatureSubscribe received",
      "signatureSubscribe",
      [signature, { ...CONFIRMED, enableReceivedNotification: true }],
    ],
    ["signatureSubscribe landed", "signatureSubscribe", [on.simple, CONFIRMED]],
  ]
  const refused: [string, string, unknown?][] = [
    ["programSubscribe nonsense", "programSubscribe", ["nonsense"]],
    ["programSubscribe jsonParsed", "programSubscribe", [program, { encoding: "jsonParsed" }]],
    ["accountSubscribe nonsense", "accountSubscribe", ["nonsense"]],
    ["accountSubscribe nothing", "accountSubscribe", []],
    ["accountSubscribe unknown encoding", "accountSubscribe", [holding, { encoding: "nonsense" }]],
    ["signatureSubscribe nonsense", "signatureSubscribe", ["nonsense"]],
    ["logsSubscribe nonsense", "logsSubscribe", ["nonsense"]],
    ["logsSubscribe two", "logsSubscribe", [{ mentions: [me, me] }]],
    ["blockSubscribe", "blockSubscribe", ["all"]],
    ["voteSubscribe", "voteSubscribe"],
    ["nonsenseSubscribe", "nonsenseSubscribe", []],
    ["socket getSlot", "getSlot"],
    ["accountUnsubscribe unknown", "accountUnsubscribe", [123456]],
    ["accountUnsubscribe nonsense", "accountUnsubscribe", ["a"]],
    ["ping", "ping"],
  ]
  const ids = new Map<string, unknown>()
  for (const [name, method, params] of [...subscriptions, ...refused]) {
    const answer = await ask(method, params)
    shapes[name] = answerShape(answer)
    ids.set(name, (answer as { result?: unknown }).result)
  }
  await on.sendRaw(next)
  for (const [name] of subscriptions) {
    const mine = ids.get(name)
    if (typeof mine !== "number") continue
    const notification = await until(async () => messages.find((one) => isFirst(one, mine)), 5_000).catch(() => ({
      method: "silence",
      params: {},
    }))
    shapes[`${name} notification`] = `${notification.method} ${shapeOf(notification.params)}`
  }
  shapes.slotUnsubscribe = answerShape(await ask("slotUnsubscribe", [ids.get("slotSubscribe")]))
  shapes["slotUnsubscribe again"] = answerShape(await ask("slotUnsubscribe", [ids.get("slotSubscribe")]))
  const of = messages.length
  socket.send("nonsense")
  await until(async () => messages.slice(of).find((one) => one.method === undefined), 5_000)
  shapes["socket no JSON"] = answerShape(messages.slice(of).find((one) => one.method === undefined))
  socket.terminate()
  return shapes
}
