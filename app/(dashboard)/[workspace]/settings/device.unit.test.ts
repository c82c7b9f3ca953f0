import { expect, test } from "vitest"
import { deviceOf } from "./device.ts"

const WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"

test.each([
  [`Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36`, "Chrome on Linux"],
  [`Mozilla/5.0 (Windows NT 10.0; Win64) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36 Edg/140.0`, "Edge on Windows"],
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) ${WEBKIT} Chrome/140.0 Safari/537.36 OPR/120`, "Opera on macOS"],
  [
    `Mozilla/5.0 (Linux; Android 15) ${WEBKIT} SamsungBrowser/28.0 Chrome/130 Mobile Safari`,
    "Samsung Internet on Android",
  ],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
  ["Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) CriOS/140 Mobile Safari/604.1", "Chrome on iPhone"],
  ["Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) Version/18.0 Safari/604.1", "Safari on iPad"],
  [`Mozilla/5.0 (X11; CrOS x86_64) ${WEBKIT} Chrome/140 Safari/537.36`, "Chrome on ChromeOS"],
  ["curl/8.5.0 (Windows)", "Browser on Windows"],
  ["Firefox/140.0", "Firefox"],
  ["curl/8.5.0", "Unknown device"],
  ["", "Unknown device"],
  [null, "Unknown device"],
])("%s is %s", (userAgent, device) => {
  expect(deviceOf(userAgent)).toBe(device)
})
