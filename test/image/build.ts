import { execFileSync, spawn } from "node:child_process"
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
} from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { type Instruction, parseDockerfile, parseIgnore, type Stage } from "./dockerfile.ts"

const project = join(import.meta.dirname, "..", "..")

/** The user who builds if the caller can choose. */
const BUILDER = 65_534

/** An image, here made of folders instead of layers. */
export type Image = {
  /** The folder that stands for its root. */
  root: string
  workdir: string
  env: Record<string, string>
  stage: Stage
}

/** Whether this process can become another user. */
export const isRoot = process.getuid?.() === 0

/** The base image's Node and npm, in a folder that every user can read. Returns the entry for the PATH. */
export function makeTools(folder: string): string {
  const bin = join(folder, "bin")
  mkdirSync(bin, { recursive: true })
  copyFileSync(process.execPath, join(bin, "node"))
  cpSync(join(findNpm(), "..", ".."), join(folder, "npm"), { recursive: true })
  for (const name of ["npm", "npx"]) {
    symlinkSync(join(folder, "npm", "bin", `${name}-cli.js`), join(bin, name))
    chmodSync(join(folder, "npm", "bin", `${name}-cli.js`), 0o755)
  }
  return `${bin}:/usr/local/bin:/usr/bin:/bin`
}

/** npm's own program. npm passes its path to the programs that it runs. */
function findNpm(): string {
  const { npm_execpath: npmPath, PATH = "" } = process.env
  if (npmPath?.endsWith("npm-cli.js")) return npmPath
  const found = PATH.split(":")
    .map((place) => join(place, "npm"))
    .find((file) => existsSync(file))
  if (found === undefined) throw new Error("npm is not on the PATH")
  return realpathSync(found)
}

/** Builds `deploy/Dockerfile` as an ordinary user, each stage in its own folder. Returns the last stage. */
export async function build(folder: string, path: string): Promise<Image> {
  const stages = parseDockerfile(readFileSync(join(project, "deploy", "Dockerfile"), "utf8"))
  const ignore = readFileSync(join(project, "deploy", "Dockerfile.dockerignore"), "utf8")
  const context = makeContext(join(folder, "context"), parseIgnore(ignore))
  const images: Image[] = []
  for (const stage of stages) {
    const root = join(folder, stage.name ?? "image")
    mkdirSync(join(root, "tmp"), { recursive: true })
    const image: Image = { root, workdir: "/", env: {}, stage }
    for (const instruction of stage.instructions) await carryOut(instruction, { image, images, context, path })
    images.push(image)
  }
  return images.at(-1)!
}

/** The files that Docker would get. */
function makeContext(folder: string, isWanted: (path: string) => boolean): string {
  mkdirSync(folder, { recursive: true })
  const top = readdirSync(project).filter((name) => ![".git", "node_modules", ".next"].includes(name))
  for (const name of top)
    cpSync(join(project, name), join(folder, name), {
      recursive: true,
      filter: (source) => hasWanted(source, isWanted),
    })
  return folder
}

/** Includes a folder if any file in it is included. */
function hasWanted(source: string, isWanted: (path: string) => boolean): boolean {
  if (isWanted(relative(project, source))) return true
  try {
    return readdirSync(source).some((name) => hasWanted(join(source, name), isWanted))
  } catch {
    return false
  }
}

type Building = { image: Image; images: Image[]; context: string; path: string }

async function carryOut(instruction: Instruction, { image, images, context, path }: Building): Promise<void> {
  if (instruction.kind === "env") Object.assign(image.env, instruction.values)
  else if (instruction.kind === "workdir") {
    image.workdir = instruction.path
    mkdirSync(join(image.root, image.workdir), { recursive: true })
    give(join(image.root, image.workdir))
  } else if (instruction.kind === "copy") {
    const from = instruction.from === null ? context : images.find(({ stage }) => stage.name === instruction.from)?.root
    if (from === undefined) throw new Error(`COPY --from=${instruction.from}: no such stage`)
    for (const source of instruction.sources) copy(join(from, source), image, instruction)
  } else {
    console.error(`   ${instruction.command}`)
    const began = performance.now()
    await run(["sh", "-c", instruction.command], image, path)
    console.error(`   ${((performance.now() - began) / 1000).toFixed(1)} s`)
  }
}

function copy(source: string, image: Image, { to, sources }: Extract<Instruction, { kind: "copy" }>): void {
  const target = to.startsWith("/") ? join(image.root, to) : join(image.root, image.workdir, to)
  const isFolder = execFileSync("stat", ["-c", "%F", source], { encoding: "utf8" }).startsWith("directory")
  const into = isFolder ? target : to.endsWith("/") || sources.length > 1 ? join(target, basename(source)) : target
  mkdirSync(isFolder ? into : dirname(into), { recursive: true })

  execFileSync("cp", ["-a", isFolder ? `${source}/.` : source, into])
  give(join(image.root, image.workdir))
}

/** Makes the builder the owner of a folder. */
function give(folder: string): void {
  if (isRoot) execFileSync("chown", ["-R", `${BUILDER}:${BUILDER}`, folder])
}

/** This machine's settings for the registry. An image gets no other setting of this machine. */
const wayOut = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) =>
      /^((https?|no|all)_proxy|node_extra_ca_certs|ssl_cert_(file|dir)|npm_config_(registry|cafile|proxy|https_proxy|noproxy))$/i.test(
        name,
      ),
    ),
  )

async function run([command, ...args]: string[], image: Image, path: string): Promise<void> {
  const home = join(image.root, "tmp", "home")
  mkdirSync(home, { recursive: true })
  if (isRoot) chownSync(home, BUILDER, BUILDER)
  const child = spawn(command!, args, {
    cwd: join(image.root, image.workdir),
    env: { ...wayOut(), PATH: path, HOME: home, ...image.env } as NodeJS.Dict<string> as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "pipe"],
    ...(isRoot && { uid: BUILDER, gid: BUILDER }),
  })
  let said = ""
  for (const stream of [child.stdout, child.stderr])
    stream!.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-20_000)
    })
  const code = await new Promise((resolve) => child.once("exit", resolve))
  if (code !== 0) throw new Error(`${args.at(-1)} exited with ${code}:\n${said}`)
}
