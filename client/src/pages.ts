import { VouchError } from "./errors.ts"

export type Params = Record<string, unknown>
type Read = (params: Params) => Promise<unknown>

/** Asks for nothing before it is awaited or iterated. */
function lazily<Page, Item>(first: () => Promise<Page>, items: () => AsyncGenerator<Item>) {
  let asked: Promise<Page> | undefined
  const ask = () => {
    asked ??= first()
    return asked
  }
  return {
    // biome-ignore lint/suspicious/noThenProperty: it is a promise.
    then: (...on: Parameters<Promise<Page>["then"]>) => ask().then(...on),
    catch: (...on: Parameters<Promise<Page>["catch"]>) => ask().catch(...on),
    finally: (...on: Parameters<Promise<Page>["finally"]>) => ask().finally(...on),
    [Symbol.toStringTag]: "Pages",
    [Symbol.asyncIterator]: items,
  }
}

type EventPage = { data: { sequence: number }[]; last_sequence: number }
type CursorPage = { data: unknown[]; next_cursor: string | null }

/** The pages of a list that goes on by a cursor. */
export function pages(read: Read, params: Params) {
  const page = (cursor?: string) =>
    read(cursor === undefined ? params : { ...params, cursor }) as Promise<CursorPage>
  return lazily(page, async function* () {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { data, next_cursor }: CursorPage = await page(cursor)
      yield* data
      cursor = next_cursor
    }
  })
}

/** Events up to the latest one, in sequence. */
export function eventPages(read: Read, params: Params) {
  const page = (after?: number) =>
    read(after === undefined ? params : { ...params, after }) as Promise<EventPage>
  // What is left out has numbers of its own between; and times do not run as the numbers do.
  const isWhole = [params.type, params.created_after, params.created_before].every((one) => one === undefined)
  return lazily(page, async function* () {
    for (let after: number | undefined; ; ) {
      const { data, last_sequence } = await page(after)
      for (const event of data) {
        if (isWhole) expectNext(event, after ?? (params.after as number | undefined))
        yield event
        after = event.sequence
      }
      if (data.length === 0 || after! >= last_sequence) return
    }
  })
}

function expectNext({ sequence }: { sequence: number }, last: number | undefined): void {
  if (last !== undefined && sequence !== last + 1)
    throw new VouchError("unexpected_response", `Event ${sequence} came after event ${last}: one is missing.`)
}
