import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"]
const elsewhere = [
  "/snap/bin/chromium",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
]

/** The machine's own Chromium, or CHROMIUM_PATH; undefined if not found. Downloads nothing. */
export function findChromium() {
  if (process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH
  const directories = new Set([...(process.env.PATH ?? "").split(delimiter), "/usr/bin", "/usr/local/bin"])
  const candidates = [...directories].flatMap((directory) => names.map((name) => join(directory, name)))
  return [...candidates, ...elsewhere].find(isExecutable)
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
