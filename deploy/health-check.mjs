// Whether the Vouch in this container is ready: exits 0 or 1, and says why not. The port of the metrics answers for
// every role, over plain HTTP, also where the other one has TLS or there is none.
const { VOUCH_METRICS_PORT: port = "9464", VOUCH_METRICS_HOST: host = "127.0.0.1" } = process.env
// It listens on all addresses, or on one.
const at = ["0.0.0.0", "::"].includes(host) ? "127.0.0.1" : host
const url = `http://${at.includes(":") ? `[${at}]` : at}:${port}/readyz`
try {
  const response = await fetch(url, { signal: AbortSignal.timeout(4000) })
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${(await response.text()).trim()}`)
} catch (error) {
  console.error(error.cause?.message ?? error.message)
  process.exitCode = 1
}
