import { readFileSync } from "node:fs"

/** What `npm start` gives to Node and puts into its environment, without the user's own settings. */
export function startScript(): { environment: { [name: string]: string }; flags: string[] } {
  const { scripts } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
  const [, settings, options] = /^(.*)exec node (.*)server\/main\.ts$/.exec(scripts.start)!
  return {
    environment: Object.fromEntries(
      [...settings!.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    ),
    flags: options!.match(/--\S+-size=\d+/g)!,
  }
}
