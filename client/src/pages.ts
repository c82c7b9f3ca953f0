export type Params = Record<string, unknown>
export type Read = (params: Params) => Promise<unknown>

/** Sends no request before it is awaited or iterated. */
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

type CursorPage = { data: unknown[]; next_cursor: string | null }

/** The pages of a list with a cursor. */
export function pages(read: Read, params: Params) {
  const page = (cursor?: string) => read(cursor === undefined ? params : { ...params, cursor }) as Promise<CursorPage>
  return lazily(page, async function* () {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { data, next_cursor }: CursorPage = await page(cursor)
      yield* data
      cursor = next_cursor
    }
  })
}

/** Events up to the latest one, in sequence. */
export const eventPages = (reader: () => { page: () => Promise<unknown>; events: () => AsyncGenerator<unknown> }) =>
  lazily(
    () => reader().page(),
    () => reader().events(),
  )
