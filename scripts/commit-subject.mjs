// Checks the subject of the newest commit: an imperative sentence of at most 72 characters without a full stop, and a
// body that gives the reason. `.ci/run` runs it.
import { execFileSync } from "node:child_process"

const [subject, ...body] = execFileSync("git", ["log", "-1", "--no-merges", "--format=%B"], {
  encoding: "utf8",
})
  .trim()
  .split("\n")
const [first] = subject.split(" ")
const wrong = [
  subject.length > 72 && `has ${subject.length} characters: at most 72`,
  !/^[A-Z]/.test(subject) && "begins with a capital letter",
  subject.endsWith(".") && "has no full stop",
  /(ed|ing|[^s]s)$/.test(first) &&
    !/^(Address|Embed|Focus|Feed|Need|Seed|Speed|Bring|Ring|String)$/.test(first) &&
    `begins with an imperative ("Close event streams"), not "${first}"`,
  body.join("").trim() === "" && "needs a body that gives the reason",
].filter(Boolean)
for (const one of wrong) console.error(`"${subject}": ${one}`)
if (wrong.length > 0) process.exit(1)
