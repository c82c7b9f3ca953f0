// Finds words to avoid in comments, texts and docs, and says what to write instead. Also finds lines of Markdown that
// are too long. `npm run prose` checks every file of the repository, `npm run prose -- <path> …` only some. Exceptions
// are in `prose-exceptions.txt`.
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** Words to avoid, as regular expressions, and what to write instead. */
const words = [
  ["anew", "again"],
  ["whoever", "the name of the actor, or anyone who"],
  ["(somebody|someone) else('s)?", "the name of the actor: another member, another person"],
  ["somebody", "the name of the actor, or someone"],
  ["nobody", "the name of the actor, or no one"],
  ["meanwhile", "while it waits, in the meantime"],
  ["by then", "at that point, already"],
  ["(is|are|was|were|be|being) told", "reports, says, notifies, returns, gets"],
  ["(tells?|told) of", "reports, says"],
  ["of (ours|theirs)", "our, their, or the owner's name"],
  ["of (its|their) own", "its own, their own"],
  ["what is so", "say the thing"],
  ["(comes?|come) to the same", "is the same, has the same result"],
  ["what stands", "say the thing"],
  ["that there (is|are)", "drop it"],
  ["there may be", "drop it, or there can be"],
  ["to be had", "available"],
  ["has got", "has"],
  ["as it (is|was)(?= *[.,;:)]| *$)", "unchanged"],
  ["as they (come|came)", "in order"],
  ["for (good|ever)", "permanently, indefinitely"],
  ["belongs? into", "belongs in"],
  ["comes to", "equals, results in, becomes"],
  ["(is|are) due", "must run, expires"],
  ["a (look|word|door|room|turn|lane)", "a check, a message, an entry point, a folder, a batch, a queue"],
  ["beside", "next to, together with, compared with"],
  ["gone for", "ended, deleted"],
  ["in earnest", "in production"],
]

const text = /\.(ts|tsx|mjs|js|css|md|sql|py|ya?ml|sh|tpl|txt|html)$|^(LICENSE|\.env\.example|\.ci\/run)$/
/** Other people's texts, and records of what other programs say. */
const foreign = /^(LICENSE|package-lock\.json|public\/|db\/migrations\/meta\/|client\/.*\/generated\/)|\/shapes\//
const root = join(import.meta.dirname, "..")
const exceptionsFile = "scripts/prose-exceptions.txt"

const exceptions = readFileSync(join(root, exceptionsFile), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => {
    const [path, ...phrase] = line.split(": ")
    return { path, phrase: phrase.join(": "), used: false }
  })

const paths = process.argv.slice(2)
const files = execFileSync("git", ["ls-files", "-z", ...paths], { cwd: root, encoding: "utf8" })
  .split("\0")
  .filter((path) => text.test(path) && !foreign.test(path))
  .filter((path) => path !== exceptionsFile && path !== "scripts/prose.mjs")
  // Git still lists a file that was just deleted.
  .filter((path) => existsSync(join(root, path)))

const any = new RegExp(`\\b(?:${words.map(([word]) => word).join("|")})\\b`, "i")
const each = words.map(([word, instead]) => [new RegExp(`\\b(?:${word})(?!\\w)`, "gi"), instead])

/** Longest line of a document, in characters. */
const WIDTH = 120

/**
 * The numbers of lines that are too long and have a space to break at. Code blocks, tables, headings and generated text
 * may be longer, and so may a line that is one link or one piece of code.
 */
function longLines(lines) {
  const found = []
  let isCode = false
  let isMade = false
  lines.forEach((line, index) => {
    if (/^\s*```/.test(line)) isCode = !isCode
    if (line.startsWith("<!-- ")) isMade = line.startsWith("<!-- made")
    if (isCode || isMade || line.length <= WIDTH || /^\s*(\||#|<)/.test(line)) return
    const whole = line.replace(/`[^`]*`|\[[^\]]*\]\([^)]*\)/g, (one) => one.replaceAll(" ", "_"))
    const start = whole.match(/^\s*(?:[-*+] |\d+\. )?\s*/)[0].length
    if (whole.slice(start, WIDTH + 1).includes(" ")) found.push(index + 1)
  })
  return found
}

const isExcepted = (path, line) =>
  exceptions.some((one) => {
    const fits = one.path === path && line.includes(one.phrase)
    one.used ||= fits
    return fits
  })

let found = 0
for (const path of files) {
  const lines = readFileSync(join(root, path), "utf8").split("\n")
  for (const number of path.endsWith(".md") ? longLines(lines) : []) {
    found++
    console.log(`${path}:${number} is longer than ${WIDTH} characters: break it`)
  }
  lines.forEach((line, i) => {
    if (!any.test(line) || isExcepted(path, line)) return
    for (const [word, instead] of each)
      for (const match of line.matchAll(word)) {
        found++
        console.log(`${path}:${i + 1}:${match.index + 1} "${match[0]}": write ${instead}`)
      }
  })
}

const unused = paths.length > 0 ? [] : exceptions.filter(({ used }) => !used)
for (const { path, phrase } of unused)
  console.log(`${exceptionsFile}: "${path}: ${phrase}" excepts nothing. Delete it.`)
if (found > 0) console.log(`\n${found} to rewrite. A word that must stay gets a line in ${exceptionsFile}.`)
if (found + unused.length > 0) process.exit(1)
