import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import ajvModule from "ajv"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { version } from "#server/lib/version.ts"
import { settingNames } from "#server/settings/env.ts"
import { startScript } from "#test/fixtures/start-script.ts"
import { parseDockerfile, parseIgnore } from "./dockerfile.ts"

// Deployment files use the code's names and flags. `npm run image` tries whether they work, as far as possible without
// Docker, Kubernetes and systemd. The linters of those run if installed.

// Its types declare a default export that differs from the one Node loads.
const Ajv = ajvModule as unknown as typeof ajvModule.default
const project = join(import.meta.dirname, "..", "..")
const read = (...path: string[]) => readFileSync(join(project, "deploy", ...path), "utf8")
const isHere = (program: string): boolean => {
  try {
    execFileSync("which", [program], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}
/** Settings of Node, its allocator, and the programs that read these files. */
const others = ["NODE_ENV", "MALLOC_ARENA_MAX", "MALLOC_MMAP_THRESHOLD_"]
const unknownOf = (names: Iterable<string>) => [...names].filter((name) => ![...settingNames, ...others].includes(name))

test("a Dockerfile is read instruction by instruction, and an unknown instruction is refused", () => {
  const [stage] = parseDockerfile(
    `# A comment\nFROM a:1 AS one\nCOPY --from=two b c ./\nENV A=1 \\\n  B="two words"\nRUN x && \\\n    y\nUSER 1:2\nCMD ["node", "x"]\nHEALTHCHECK --retries=3 \\\n  CMD ["z"]\n`,
  )
  expect(stage).toMatchObject({
    ...{ base: "a:1", name: "one", user: "1:2", command: ["node", "x"], healthCheck: ["z"] },
    instructions: [
      { kind: "copy", from: "two", sources: ["b", "c"], to: "./" },
      { kind: "env", values: { A: "1", B: "two words" } },
      { kind: "run", command: "x && y" },
    ],
  })
  for (const wrong of ["ADD a b", "CMD node x", "COPY --chmod=1 a b", "RUN x"])
    expect(() => parseDockerfile(wrong.startsWith("RUN") ? wrong : `FROM a\n${wrong}`)).toThrow(
      "Unsupported in a Dockerfile",
    )
})

test.each([
  ["*\n!app", "app/page.tsx", true],
  ["*\n!app\n**/*.test.ts", "app/x/a.test.ts", false],
  ["*\n!app", "apple", false],
  ["**/.env*", "a/b/.env.local", false],
  ["**/.env*", ".env", false],
  ["a?c", "abc", false],
  ["a?c", "abbc", true],
  ["*\n!docs/*.md", "docs/a/b.md", false],
])(".dockerignore %j includes the path %s: %s", (text, path, isLet) => {
  expect(parseIgnore(text)(path)).toBe(isLet)
})

const stages = parseDockerfile(read("Dockerfile"))
const last = stages.at(-1)!
const nodeImage = last.base

test("the image runs like npm start, not as root, and reports when it is ready", () => {
  const { environment, flags } = startScript()
  const env = Object.assign({}, ...last.instructions.map((one) => (one.kind === "env" ? one.values : {})))
  expect(env).toMatchObject({ NODE_ENV: "production", ...environment })
  expect(unknownOf(Object.keys(env))).toEqual([])
  expect(last.command!.filter((word) => flags.includes(word))).toEqual(flags)
  expect([last.command![0], last.command!.at(-1)]).toEqual(["node", "server/main.ts"])
  expect(last.user).toMatch(/^[1-9]\d*:[1-9]\d*$/)
  expect(last.healthCheck).toEqual(["node", "deploy/health-check.mjs"])
  expect(last.stopSignal).toBe("SIGTERM")
  expect(last.labels).toHaveProperty(["org.opencontainers.image.version"])
  // All stages have one base, with the Node version of the lockfile.
  expect(new Set(stages.map(({ base }) => base))).toEqual(new Set([nodeImage]))
  expect(nodeImage).toMatch(/^node:24-/)
  expect(read("Dockerfile")).toContain(`ARG VERSION=${version}\n`)
})

test("base images are pinned by digest, each in one place that a build can override", () => {
  const dockerfile = read("Dockerfile")
  expect(dockerfile.match(/^FROM \$\{NODE_IMAGE\}/gm)).toEqual(dockerfile.match(/^FROM .{13}/gm))
  const compose = read("compose.yaml")
  expect(compose).toContain(`\${NODE_IMAGE:-${nodeImage}}`)
  const pinned = [nodeImage, /\$\{POSTGRES_IMAGE:-(postgres:18@[^}]+)\}/.exec(compose)?.[1]]
  for (const image of pinned) expect(image).toMatch(/^[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}$/)
})

test("everything installed is checked by its hash, or is part of a package that was", () => {
  type Locked = { integrity?: string; inBundle?: boolean; link?: boolean; bundleDependencies?: string[] }
  const { packages } = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8")) as {
    packages: Record<string, Locked>
  }
  for (const [path, one] of Object.entries(packages)) {
    if (!path.includes("node_modules/") || one.link || one.integrity) continue
    const cut = path.lastIndexOf("/node_modules/")
    const bundle = packages[path.slice(0, cut)]
    expect({ path, inBundle: one.inBundle, integrity: bundle?.integrity }).toEqual({
      ...{ path, inBundle: true, integrity: expect.stringMatching(/^sha512-/) },
    })
    expect(bundle!.bundleDependencies).toContain(path.slice(cut + "/node_modules/".length))
  }
})

test("a builder gets nothing that may be secret and nothing that the server does not need", () => {
  const isSent = parseIgnore(read("Dockerfile.dockerignore"))
  const kept = [".env", ".env.local", "server/.env", "deploy/.env", ".git/config", ".data/secrets.json", "secrets.json"]
  for (const path of [...kept, "node_modules/a", ".next/a", "test/app.ts", "e2e/a.spec.ts", "server/main.test.ts"])
    expect([path, isSent(path)]).toEqual([path, false])
  for (const path of [
    "server/main.ts",
    "app/layout.tsx",
    "db/migrations/meta/_journal.json",
    "db/functions/events.sql",
    "public/a.svg",
    ".npmrc",
  ])
    expect([path, isSent(path)]).toEqual([path, true])
})

type Service = {
  environment?: Record<string, string>
  command?: string[]
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
  user?: string
  image: string
}

test("compose sets only settings that the server knows, and requires those without a default", () => {
  const { services } = parse(read("compose.yaml"), { merge: true }) as { services: Record<string, Service> }
  expect(Object.keys(services)).toEqual(["postgres", "migrate", "web", "worker"])
  const { postgres, ...own } = services
  expect(Number(/:-postgres:(\d+)@/.exec(postgres!.image)![1])).toBeGreaterThanOrEqual(15)
  expect(postgres!.user).toBe("postgres")
  for (const { cap_drop, security_opt } of Object.values(services))
    expect({ cap_drop, security_opt }).toEqual({
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
    })
  for (const [name, { environment, read_only }] of Object.entries(own)) {
    expect({ name, unknown: unknownOf(Object.keys(environment!)) }).toEqual({ name, unknown: [] })
    expect(read_only).toBe(true)
    for (const [setting, value] of Object.entries(environment!))
      if (setting !== "VOUCH_ROLE" && !(name === "web" && setting === "VOUCH_SIGNER"))
        expect(value).toMatch(/\$\{\w+:\?set it in deploy\/\.env/)
  }
  expect(own.web!.environment!.VOUCH_ROLE).toBe("web")
  expect(own.web!.environment!.VOUCH_SIGNER).toBe("")
  expect(own.worker!.environment!.VOUCH_ROLE).toBe("worker")
  expect(own.migrate!.command!.slice(0, 3)).toEqual(["node", "server/cli.ts", "migrate"])
})

const unit = read("systemd", "vouch@.service")

test("the unit runs like npm start, with settings that the server knows", () => {
  const { environment, flags } = startScript()
  const [, own] = /^Environment=(.+)$/m.exec(unit)!
  const given = Object.fromEntries(own!.split(" ").map((pair) => pair.split("=") as [string, string]))
  expect(given).toMatchObject({ NODE_ENV: "production", VOUCH_ROLE: "%i", ...environment })
  expect(unknownOf(Object.keys(given))).toEqual([])
  const [, command] = /^ExecStart=(.+)$/m.exec(unit)!
  expect(command!.split(" ").filter((word) => flags.includes(word))).toEqual(flags)
})

test("systemd accepts the unit, and rates its exposure as low", ({ skip }) => {
  if (!isHere("systemd-analyze")) return skip("systemd is not installed")
  const folder = mkdtempSync(join(tmpdir(), "vouch-unit-"))
  try {
    const file = join(folder, "vouch@web.service")
    // systemd requires the program to exist.
    writeFileSync(file, unit.replaceAll("/opt/vouch", project))
    const analyze = (...args: string[]) =>
      execFileSync("systemd-analyze", args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
    expect(analyze("verify", file)).toBe("")
    const [, exposure] = /exposure level for \S+: ([\d.]+)/.exec(analyze("security", "--offline=true", file))!
    expect(Number(exposure)).toBeLessThan(2)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

const chart = (...path: string[]) => read("helm", "vouch", ...path)

test("the chart has this version, and its default values match its schema", () => {
  expect(parse(chart("Chart.yaml"))).toMatchObject({ appVersion: version })
  const validate = new Ajv({ allErrors: true, strict: false }).compile(JSON.parse(chart("values.schema.json")))
  const values = parse(chart("values.yaml")) as Record<string, unknown>
  expect([validate(values), validate.errors]).toEqual([true, null])
  // Exactly the existing values can be set.
  expect(Object.keys(JSON.parse(chart("values.schema.json")).properties).sort()).toEqual(
    ["global", ...Object.keys(values)].sort(),
  )
  for (const wrong of [
    { ...values, replicas: 1 },
    { ...values, publicUrl: "vouch.example.com" },
    { ...values, settings: { VOUCH_ROLE: "web" } },
  ])
    expect(validate(wrong)).toBe(false)
})

test("pods are scraped under the job name of the alerts and the dashboard", () => {
  const job = parse(chart("Chart.yaml")).name
  expect(chart("templates", "_helpers.tpl")).toContain('app.kubernetes.io/name: {{ include "vouch.name" . }}')
  // The dashboard shows the release's own namespace unless another one is chosen.
  expect(chart("templates", "network.yaml")).toMatch(/port: metrics \}\]\n +from:\n +- podSelector: \{\}\n/)
  expect(chart("templates", "network.yaml")).toContain("jobLabel: app.kubernetes.io/name")
  const jobs = ["alerts.yml", "dashboard.json"].flatMap((file) =>
    [...read("observe", file).matchAll(/job=\\?"(\w+)/g)].map(([, name]) => name),
  )
  expect(new Set(jobs)).toEqual(new Set([job]))
})

test("helm accepts the chart", ({ skip }) => {
  if (!isHere("helm")) return skip("helm is not installed")
  const own = ["--set", "image.repository=vouch", "--set", "publicUrl=https://vouch.example.com"]
  const lint = execFileSync("helm", [
    "lint",
    "--strict",
    join(project, "deploy", "helm", "vouch"),
    ...own,
    "--set",
    "existingSecret=vouch",
  ])
  expect(lint.toString()).toContain("0 chart(s) failed")
})
