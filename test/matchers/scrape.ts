/** A server's metrics: the text, and each value by its name and labels. */
export async function scrape(port: number): Promise<{ text: string; values: Map<string, number> }> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`/metrics answered ${response.status}: ${text}`)
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  const values = lines.map((line): [string, number] => {
    const end = line.lastIndexOf(" ")
    return [line.slice(0, end), Number(line.slice(end + 1))]
  })
  return { text, values: new Map(values) }
}
