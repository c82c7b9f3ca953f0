import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { base58OfKey, type Key, keyOfBase58, keyOfBytes } from "../chain/keys.ts"
import { Slots } from "../chain/slots.ts"
import { parseTransaction, type Transaction } from "../chain/wire.ts"
import { fileJournal, type Journal, memoryJournal, type Place } from "./journal.ts"
import { takeLock } from "./lock.ts"
import { type Change, decodeChanges, decodeFront, decodeMeta, type Meta } from "./record.ts"
import { readSnapshot, writeSnapshot } from "./snapshot.ts"

type Genesis = { hash: Key; faucetSeed: Buffer }

type Stored = { transaction: Transaction; meta: Meta | null; slot: number; unixSeconds: number; place: Place }

/** Where a chain is stored: in a directory, or only in memory. */
export type Storage = {
  genesis: Genesis
  slots: Slots
  journal: Journal
  /** Reports each transaction in order, then returns the latest accounts. Call it once, at the start. */
  restore(onTransaction: (stored: Stored) => void): Iterable<Change>
  /** Bytes of journal that a start would have to replay. */
  readonly unsavedBytes: number
  snapshot(accounts: Iterable<Change>): Promise<void>
  /** Cuts the journal off at this place, and removes the snapshot, which may contain what is cut off. */
  truncate(place: Place): void
  close(): void
}

/**
 * The directory:
 * - `genesis.json`: the genesis hash and the faucet's seed, both random;
 * - `height`: the newest slot, as a count; `height.forks.json`: which slots were rolled back;
 * - `ledger`: every transaction that landed, with its meta and the accounts it changed (`record.ts`);
 * - `accounts.snapshot`: all accounts at one point of the ledger;
 * - `lock`: which process uses the directory.
 *
 * The ledger has the changed accounts, so that a start reads the file once and executes nothing. It takes more space,
 * but stays correct with any later version of LiteSVM, its programs and this code.
 */
export function openStorage(dataDir: string | null): Storage {
  return dataDir === null ? inMemory() : inDirectory(dataDir)
}

const newGenesis = (): Genesis => ({ hash: keyOfBytes(randomBytes(32)), faucetSeed: randomBytes(32) })

function inMemory(): Storage {
  const genesis = newGenesis()
  const journal = memoryJournal()
  return {
    genesis,
    slots: new Slots(genesis.hash, null),
    journal,
    restore: () => [],
    unsavedBytes: 0,
    snapshot: async () => {},
    truncate: (place) => journal.truncate(place),
    close() {},
  }
}

function inDirectory(dataDir: string): Storage {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const releaseLock = takeLock(join(dataDir, "lock"))
  const snapshotFile = join(dataDir, "accounts.snapshot")
  const genesis = readGenesis(join(dataDir, "genesis.json"))
  const journal = fileJournal(join(dataDir, "ledger"))
  const slots = new Slots(genesis.hash, join(dataDir, "height"))
  let savedEnd = 0
  let truncated = 0
  const dropSnapshot = () => {
    savedEnd = 0
    rmSync(snapshotFile, { force: true })
  }
  return {
    genesis,
    slots,
    journal,
    restore(onTransaction) {
      const accounts = new Map<Key, Change>()
      const snapshot = readSnapshot(snapshotFile)
      // A snapshot beyond the end of the ledger belongs to another ledger.
      const known = snapshot !== null && snapshot.journalEnd <= journal.end ? snapshot : null
      for (const change of known?.accounts ?? []) accounts.set(change.key, change)
      savedEnd = known?.journalEnd ?? 0
      for (const { place, body } of journal.scan(savedEnd)) {
        const { slot, unixSeconds, failed, wire } = decodeFront(body)
        const transaction = parseTransaction(Buffer.from(wire))
        const meta = failed || transaction.message.lookups.length > 0 ? decodeMeta(body) : null
        onTransaction({ transaction, meta, slot, unixSeconds, place })
        if (place.offset >= savedEnd) for (const change of decodeChanges(body)) accounts.set(change.key, change)
      }
      return accounts.values()
    },
    get unsavedBytes() {
      return journal.end - savedEnd
    },
    async snapshot(changes) {
      const { end } = journal
      const before = truncated
      await writeSnapshot(snapshotFile, end, changes)
      if (truncated === before) savedEnd = end
      else dropSnapshot()
    },
    truncate(place) {
      truncated += 1
      dropSnapshot()
      journal.truncate(place)
    },
    close() {
      journal.close()
      slots.close()
      releaseLock()
    },
  }
}

function readGenesis(path: string): Genesis {
  if (!existsSync(path)) {
    const { hash, faucetSeed } = newGenesis()
    const text = JSON.stringify({
      genesis_hash: base58OfKey(hash),
      faucet_seed: faucetSeed.toString("base64"),
    })
    writeFileSync(`${path}.draft`, text, { mode: 0o600 })
    renameSync(`${path}.draft`, path)
  }
  const stored = JSON.parse(readFileSync(path, "utf8")) as { genesis_hash: string; faucet_seed: string }
  const hash = keyOfBase58(stored.genesis_hash)
  if (hash === null) throw new Error(`${path} has no valid genesis hash`)
  return { hash, faucetSeed: Buffer.from(stored.faucet_seed, "base64") }
}
