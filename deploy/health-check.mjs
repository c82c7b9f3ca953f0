// Exits 0 if Vouch in this container is ready, otherwise 1 with the reason. It asks the metrics port, which every role
// has and which uses plain HTTP even if the main port has TLS.
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
