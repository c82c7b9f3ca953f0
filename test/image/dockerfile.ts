/** The parts of a Dockerfile that this repository's uses (https://docs.docker.com/reference/dockerfile/). */

export type Instruction =
  | { kind: "copy"; from: string | null; sources: string[]; to: string }
  | { kind: "run"; command: string }
  | { kind: "workdir"; path: string }
  | { kind: "env"; values: Record<string, string> }

export type Stage = {
  name: string | null
  base: string
  instructions: Instruction[]
  user: string | null
  command: string[] | null
  healthCheck: string[] | null
  stopSignal: string | null
  labels: Record<string, string>
}

/** Throws on an unknown instruction, so that none is ignored. */
export function parseDockerfile(text: string): Stage[] {
  const stages: Stage[] = []
  const args: Record<string, string> = {}
  for (const [word, rest] of instructionsOf(text)) {
    if (word === "ARG" && stages.length === 0) {
      Object.assign(args, parsePairs(rest))
      continue
    }
    if (word === "FROM") {
      const [, base, name] = /^(\S+)(?:\s+AS\s+(\S+))?$/i.exec(rest) ?? unknown(word, rest)
      stages.push(
        newStage(
          base!.replace(/\$\{(\w+)\}/, (_, arg: string) => args[arg] ?? unknown(word, rest)),
          name ?? null,
        ),
      )
      continue
    }
    const stage = stages.at(-1) ?? unknown(word, rest)
    if (word === "COPY") stage.instructions.push(parseCopy(rest))
    else if (word === "RUN") stage.instructions.push({ kind: "run", command: rest })
    else if (word === "WORKDIR") stage.instructions.push({ kind: "workdir", path: rest })
    else if (word === "ENV") stage.instructions.push({ kind: "env", values: parsePairs(rest) })
    else if (word === "LABEL") Object.assign(stage.labels, parsePairs(rest))
    else if (word === "USER") stage.user = rest
    else if (word === "STOPSIGNAL") stage.stopSignal = rest
    else if (word === "CMD") stage.command = parseWords(rest)
    else if (word === "HEALTHCHECK") stage.healthCheck = parseWords(/\bCMD\s+(.+)$/.exec(rest)?.[1] ?? "")
    else if (word !== "ARG" && word !== "EXPOSE") unknown(word, rest)
  }
  return stages
}

const newStage = (base: string, name: string | null): Stage => ({
  ...{ base, name, instructions: [], user: null, command: null, healthCheck: null, stopSignal: null },
  labels: {},
})

/** Joins lines that end with a backslash, and drops comments and empty lines. */
function instructionsOf(text: string): [word: string, rest: string][] {
  const lines = text.split("\n").filter((line) => !/^\s*(#|$)/.test(line))
  const whole = lines.join("\n").replaceAll(/\s*\\\n\s*/g, " ")
  return whole.split("\n").map((line) => {
    const [, word, rest] = /^\s*([A-Z]+)\s+(.*?)\s*$/.exec(line) ?? unknown("", line)
    return [word!, rest!]
  })
}

function parseCopy(rest: string): Instruction {
  const words = rest.split(/\s+/)
  const flags = words.filter((word) => word.startsWith("--"))
  const paths = words.filter((word) => !word.startsWith("--"))
  const from = flags.map((flag) => /^--from=(\S+)$/.exec(flag)?.[1] ?? unknown("COPY", rest))[0] ?? null
  const to = paths.pop() ?? unknown("COPY", rest)
  return { kind: "copy", from, sources: paths, to }
}

/** `NAME=value OTHER="a value"`. */
const parsePairs = (rest: string): Record<string, string> =>
  Object.fromEntries(
    [...rest.matchAll(/([\w.-]+)=(?:"([^"]*)"|(\S*))/g)].map(([, name, quoted, plain]) => [name, quoted ?? plain]),
  )

/** Accepts only the form without a shell, so that signals reach the program. */
function parseWords(rest: string): string[] {
  const words: unknown = rest.startsWith("[") ? JSON.parse(rest) : unknown("CMD", rest)
  return words as string[]
}

function unknown(word: string, rest: string): never {
  throw new Error(`Unsupported in a Dockerfile: ${word} ${rest}`)
}

/**
 * The paths that a .dockerignore includes (https://docs.docker.com/build/concepts/context/#dockerignore-files). The
 * last line that matches a path, or a folder above it, decides.
 */
export function parseIgnore(text: string): (path: string) => boolean {
  const rules = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const isException = line.startsWith("!")
      return { isException, pattern: patternOf(isException ? line.slice(1) : line) }
    })
  return (path) => {
    const parts = path.split("/")
    const within = parts.map((_, at) => parts.slice(0, at + 1).join("/"))
    const last = rules.findLast(({ pattern }) => within.some((one) => pattern.test(one)))
    return last === undefined || last.isException
  }
}

function patternOf(line: string): RegExp {
  const source = line
    .replaceAll(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll(/\*\*\/|\*\*|\*|\?/g, (wild) =>
      wild === "**/" ? "(?:.*/)?" : wild === "**" ? ".*" : wild === "*" ? "[^/]*" : "[^/]",
    )
  return new RegExp(`^${source}$`)
}
