import { basename } from "node:path"
import bs58 from "bs58"
import { logger } from "#server/lib/log.ts"
import { SettingsError } from "#server/settings/env.ts"
import type { Address } from "#shared/address.ts"
import { isSame, readListFile, type Stamp, stampOf, WrongList } from "./list-file.ts"
import { type ListVersion, type LoadedList, readStored, readVersions, storeList } from "./stored-lists.ts"

/** How often to check files and the database. */
const CHECK_EVERY_MS = 500

/** A file with a screening list. */
type Source = {
  name: string
  path: string
  /** The file's stamp at the last check, and at the last read. */
  seen: Stamp | null
  read: Stamp | null
  digest: string | null
  /** Why the file is not in use. */
  problem: string | null
}

/** The facts about a list to show. */
export type ListFacts = {
  name: string
  digest: string
  entries: number
  loaded_at: Date
  /** Why this process's file is not in use; null if it is. */
  problem: string | null
}

let loaded: ReadonlyMap<string, LoadedList> = new Map()
let sources: readonly Source[] = []

/** The loaded lists that have a wallet. */
export function listsWith(wallet: Address): LoadedList[] {
  if (loaded.size === 0) return []
  const key = bs58.decode(wallet)
  return [...loaded.values()].filter(({ addresses }) => addresses.has(key))
}

/** Whether this process uses a list of that name. */
export const isInUse = (name: string): boolean => loaded.has(name)

export const isScreening = (): boolean => loaded.size > 0

/** All lists that this process uses. */
export const loadedLists = (): LoadedList[] => [...loaded.values()]

/** Digests by name, for other processes to see; null if this process does not screen. */
export const digestsInUse = (): Record<string, string> | null =>
  loaded.size === 0 ? null : Object.fromEntries(loadedLists().map(({ name, digest }) => [name, digest]))

export const listFacts = (): ListFacts[] =>
  sources.flatMap(({ name, problem }) => {
    const list = loaded.get(name)
    if (!list) return []
    const { digest, entries, loaded_at } = list
    return [{ name, digest, entries, loaded_at, problem }]
  })

/** What is wrong with the lists, as a sentence; null if nothing is. */
export const listTrouble = (): string | null => {
  const wrong = sources.find(({ problem }) => problem !== null)
  return wrong ? `${wrong.name} ${wrong.problem}` : null
}

type ListSettings = {
  VOUCH_SANCTIONS_LIST?: string[] | undefined
  VOUCH_SANCTIONS_LIST_ACCEPT?: string | undefined
}

/** Keeps the lists of this process up to date with their files, and with what other processes load. */
export class ListWatch {
  readonly #accepted: string | undefined
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> = Promise.resolve()

  private constructor(accepted: string | undefined) {
    this.#accepted = accepted
  }

  /**
   * Loads the lists and watches them. If a file is not a valid list, the last loaded one stays in use. If there is
   * none, the start is refused, because nothing would be screened. Errors: SettingsError.
   */
  static async start({
    VOUCH_SANCTIONS_LIST: paths = [],
    VOUCH_SANCTIONS_LIST_ACCEPT: accepted,
  }: ListSettings): Promise<ListWatch> {
    const watch = new ListWatch(accepted)
    sources = paths.map((path) => ({
      name: basename(path),
      path,
      seen: null,
      read: null,
      digest: null,
      problem: null,
    }))
    loaded = new Map()
    if (sources.length === 0) return watch
    for (const source of sources) await watch.#readFile(source)
    await watch.#followDatabase()
    const missing = sources.filter(({ name }) => !loaded.has(name))
    if (missing.length > 0)
      throw new SettingsError(missing.map(({ path, problem }) => `VOUCH_SANCTIONS_LIST: ${path} ${problem}`))
    watch.#timer = setInterval(() => watch.#look(), CHECK_EVERY_MS)
    return watch
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#looking
    sources = []
    loaded = new Map()
  }

  #isLooking = false
  #look(): void {
    if (this.#isLooking) return
    this.#isLooking = true
    this.#looking = this.#lookOnce()
      .catch((error) => logger.warn({ err: error }, "could not check screening lists for changes; retrying"))
      .finally(() => {
        this.#isLooking = false
      })
  }

  async #lookOnce(): Promise<void> {
    for (const source of sources) {
      const before = source.seen
      source.seen = await stampOf(source.path).catch((error) => {
        this.#reject(source, error)
        return null
      })
      if (source.seen === null) source.read = null
      // Wait until the file stops changing, because its author may still be writing.
      else if (!isSame(source.seen, source.read) && isSame(source.seen, before)) await this.#readFile(source)
    }
    await this.#followDatabase()
  }

  /** Reads a file, and stores a new version. */
  async #readFile(source: Source): Promise<void> {
    try {
      const file = await readListFile(source.path)
      source.read = file.stamp
      source.seen = file.stamp
      const stored = await storeList(source.name, file, this.#accepted)
      if ("heldBack" in stored) {
        throw new WrongList(
          `has ${file.addresses.size} addresses where the list in use has ${stored.heldBack.entries}. If that is right, set VOUCH_SANCTIONS_LIST_ACCEPT=${file.digest}`,
        )
      }
      source.digest = file.digest
      source.problem = null
      this.#use({ ...stored, addresses: file.addresses })
    } catch (error) {
      // A wrong file stays wrong until it changes, but after a database error read it again.
      if (!(error instanceof WrongList)) source.read = null
      else if (source.read === null) source.read = source.seen
      this.#reject(source, error)
    }
  }

  #reject(source: Source, error: unknown): void {
    source.digest = null
    this.#note(source, error)
  }

  /** Uses the lists that other processes have loaded. */
  async #followDatabase(): Promise<void> {
    const versions = await readVersions(sources.map(({ name }) => name))
    for (const version of versions) {
      const source = sources.find(({ name }) => name === version.name)!
      if (loaded.get(version.name)?.digest !== version.digest) {
        const list = await readStored(version.name)
        if (list) this.#use(list)
      }
      if (source.digest !== null && source.digest !== version.digest)
        this.#note(source, new WrongList("differs from the file that another process loaded later"))
      else if (source.digest === version.digest) source.problem = null
    }
  }

  #use(list: LoadedList): void {
    const before = loaded.get(list.name)
    if (before?.digest === list.digest) return
    loaded = new Map(loaded).set(list.name, list)
    logger.info(factsOf(list), "a screening list was loaded")
  }

  #note(source: Source, error: unknown): void {
    const problem = error instanceof WrongList ? error.message : "cannot be loaded while the database is unreachable"
    if (source.problem !== problem)
      logger.warn({ list: source.name, path: source.path, problem, err: error }, "a screening list is not used")
    source.problem = problem
  }
}

const factsOf = ({ name, digest, entries }: ListVersion) => ({ list: name, digest, entries })
