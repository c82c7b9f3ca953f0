// Most browsers also claim to be others. The first match in this list is the right one.
const browsers: [pattern: RegExp, name: string][] = [
  [/Edg(?:e|A|iOS)?\//, "Edge"],
  [/OPR\//, "Opera"],
  [/SamsungBrowser\//, "Samsung Internet"],
  [/Firefox\/|FxiOS\//, "Firefox"],
  [/Chrom(?:e|ium)\/|HeadlessChrome\/|CriOS\//, "Chrome"],
  [/Safari\//, "Safari"],
]

const systems: [pattern: RegExp, name: string][] = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X|Macintosh/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
]

/** A browser as its owner knows it: "Firefox on Linux". */
export function deviceOf(userAgent: string | null): string {
  const nameIn = (table: typeof browsers) => table.find(([pattern]) => pattern.test(userAgent ?? ""))?.[1]
  const [browser, system] = [nameIn(browsers), nameIn(systems)]
  if (!browser && !system) return "Unknown device"
  return system ? `${browser ?? "Browser"} on ${system}` : browser!
}
