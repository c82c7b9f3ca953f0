/** A body that is longer than it may be. */
export class TooLarge extends Error {}

/** The body of an answer of somebody else's server. Throws TooLarge, and reads no further, where it is too long. */
export async function readBounded(response: Response, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    // Leaving the loop cancels the rest.
    if (bytes > maxBytes) throw new TooLarge(`an answer of more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
