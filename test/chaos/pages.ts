import type { Client } from "./client.ts"

/** Reads a whole list of the API, page by page. */
export async function readPages<Row>(client: Client, path: string): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | null = null
  do {
    const { json } = await client.read(`${path}?limit=100${cursor === null ? "" : `&cursor=${cursor}`}`)
    rows.push(...(json.data as Row[]))
    cursor = json.next_cursor as string | null
  } while (cursor !== null)
  return rows
}
