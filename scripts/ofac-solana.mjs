// Writes the digital currency addresses from OFAC's SDN list to a file for VOUCH_SANCTIONS_LIST:
//   node scripts/ofac-solana.mjs ofac-solana.txt [address or file of SDN.XML]
//
// It needs only Node. If the list cannot be fetched or is incomplete, the file stays unchanged and the exit code is 1.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"

const SDN = "https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/SDN.XML"
const TIMEOUT_MS = 120_000

const [file, source = SDN] = process.argv.slice(2)
try {
  if (file === undefined) throw new Error("usage: node scripts/ofac-solana.mjs FILE [ADDRESS]")
  const list = addressesIn(await read(source)).join("\n")
  const isKnown = existsSync(file) && readFileSync(file, "utf8") === `${list}\n`
  if (!isKnown) {
    // Moves the file into place when it is complete, so that a server never reads half of it.
    writeFileSync(`${file}.new`, `${list}\n`)
    renameSync(`${file}.new`, file)
  }
  console.log(`${file}: ${list.split("\n").length} addresses${isKnown ? ", as before" : ""}`)
} catch (error) {
  console.error(`The list was not written: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}

/** @param {string} source */
async function read(source) {
  if (!/^https?:/.test(source)) return readFileSync(source, "utf8")
  const response = await fetch(source, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!response.ok) throw new Error(`${source} answered ${response.status}`)
  return response.text()
}

/**
 * The addresses of every currency, sorted. A token such as USDC may be on Solana, and Vouch skips other addresses.
 * @param {string} xml
 */
function addressesIn(xml) {
  if (!/<\/sdnList>\s*$/.test(xml)) throw new Error("it is not OFAC's SDN list, or is incomplete")
  const stated = /<Record_Count>\s*(\d+)\s*</.exec(xml)?.[1]
  const entries = xml.match(/<sdnEntry>/g)?.length ?? 0
  if (stated !== undefined && Number(stated) !== entries)
    throw new Error(`it has ${entries} entries, and says ${stated}`)
  const found = new Set()
  for (const [, id = ""] of xml.matchAll(/<id>([\s\S]*?)<\/id>/g)) {
    const number = /<idNumber>\s*([^<]*?)\s*<\/idNumber>/.exec(id)?.[1]
    if (/<idType>\s*Digital Currency Address/.test(id) && number) found.add(number)
  }
  if (found.size === 0) throw new Error("it has no digital currency address")
  return [...found].sort()
}
