import { pino, symbols } from "pino"
import { currentSpan } from "./trace.ts"
import { MASK, withoutSecrets } from "./without-secrets.ts"

/** Structured log on standard output. Keys, session ids, signatures and secrets never reach it. */
export const logger = pino({
  level: levelOf(process.env.VOUCH_LOG_LEVEL) ?? (process.env.NODE_ENV === "test" ? "silent" : "info"),
  base: null,
  redact: ["headers.authorization", "headers.cookie"],
  serializers: { err: serializeError },
  // So that log lines can be found by trace, and traces by log line.
  mixin: () => {
    const span = currentSpan()
    return span ? { trace_id: span.traceId } : {}
  },
  // Secrets in an error or a URL, in any encoding.
  hooks: { streamWrite: maskLine },
})

/** Sends the log to standard error from now on. The standard output of a command contains only its result. */
export function logToStandardError(): void {
  const open = logger as unknown as Record<symbol, unknown>
  open[symbols.streamSym] = pino.destination({ fd: 2, sync: true })
}

/** Keeps a line JSON: if all of it is masked, a string is left. */
function maskLine(line: string): string {
  const kept = withoutSecrets(line)
  return kept === MASK ? `${JSON.stringify(MASK)}\n` : kept
}

/** A level of pino. Other values are refused with the other settings (`env.ts`), with a message instead of a stack. */
function levelOf(name: string | undefined): string | undefined {
  return name !== undefined && (name in pino.levels.values || name === "silent") ? name : undefined
}

/** An error without the parameters of the failed statement, which may contain data that must not be logged. */
function serializeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name: type, message, stack } = error
  const { code, constraint_name } = error as { code?: unknown; constraint_name?: unknown }
  const cause = error.cause instanceof Error ? serializeError(error.cause) : undefined
  return { type, message, code, constraint_name, stack, cause }
}
