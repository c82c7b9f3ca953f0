import type { Event } from "./contract.ts"
import { VouchError } from "./errors.ts"
import type { Params, Read } from "./pages.ts"

/** A failover or a restore of Vouch's database lost events that were read. Reading continues from before them. */
export type Rewound = {
  /** The cursor of the last event that was read. */
  cursor: string
  /** The cursor from which reading continues. Events that this client returned recently are skipped. */
  resumeCursor: string
  /** The reason, for people. */
  detail: string
}

type EventPage = { data: Event[]; last_sequence: number }

/** The number of event ids to remember, to skip repeated events. */
const REMEMBERED = 10_000

/** Reads events in sequence, and keeps its position. */
export class EventReader {
  readonly #read: Read
  readonly #params: Params
  readonly #onRewound: (rewound: Rewound) => void
  readonly #seen = new Set<string>()
  /** `after` or `cursor`. */
  #position: Params

  constructor(
    read: Read,
    { after, cursor, ...params }: Params,
    onRewound: (rewound: Rewound) => void = (rewound) => console.warn(`Vouch: ${rewound.detail}`),
  ) {
    this.#read = read
    this.#params = params
    this.#onRewound = onRewound
    this.#position = { ...(after !== undefined && { after }), ...(cursor !== undefined && { cursor }) }
  }

  page(): Promise<EventPage> {
    return this.#read({ ...this.#position, ...this.#params }) as Promise<EventPage>
  }

  /** Events up to the latest one. */
  async *events(): AsyncGenerator<Event, void, undefined> {
    // A filter leaves gaps in the numbers, and times are not in the order of the numbers.
    const isWhole = [this.#params.type, this.#params.created_after, this.#params.created_before].every(
      (one) => one === undefined,
    )
    for (;;) {
      const page = await this.page().catch((error) => this.#rewind(error))
      if (page === null) continue
      const { data, last_sequence } = page
      for (const event of data) {
        if (isWhole) expectNext(event, sequenceOf(this.#position))
        // Servers of earlier versions have no cursors.
        this.#position = event.cursor === undefined ? { after: event.sequence } : { cursor: event.cursor }
        if (!this.#isKnown(event.id)) yield event
      }
      if (data.length === 0 || data.at(-1)!.sequence >= last_sequence) return
    }
  }

  /** Continues from where the server says. */
  #rewind(error: unknown): null {
    const { cursor } = this.#position
    if (!(error instanceof VouchError) || error.resumeCursor === null || error.resumeCursor === cursor) throw error
    const { resumeCursor, detail } = error
    this.#position = { cursor: resumeCursor }
    this.#onRewound({ cursor: String(cursor), resumeCursor, detail })
    return null
  }

  #isKnown(id: string | undefined): boolean {
    if (id === undefined) return false
    if (this.#seen.has(id)) return true
    this.#seen.add(id)
    if (this.#seen.size > REMEMBERED) this.#seen.delete(this.#seen.values().next().value!)
    return false
  }
}

const sequenceOf = ({ after, cursor }: Params): number | undefined =>
  cursor === undefined ? (after as number | undefined) : Number(String(cursor).split("-")[0])

function expectNext({ sequence }: { sequence: number }, last: number | undefined): void {
  if (last !== undefined && sequence !== last + 1)
    throw new VouchError("unexpected_response", `Event ${sequence} came after event ${last}: one is missing.`)
}
