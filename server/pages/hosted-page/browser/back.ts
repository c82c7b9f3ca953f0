import { find, locale } from "./dom.ts"

const STAY_SECONDS = 8
let countdown: number | undefined

/** Returns to the company's site after a few seconds, unless the investor stays. */
export function returnSoon(): void {
  const line = find(".staying [data-text]")!
  const announced = find(".back [role=status]")!
  const seconds = new Intl.NumberFormat(locale, { style: "unit", unit: "second", unitDisplay: "long" })
  const say = (place: HTMLElement, left: number) => {
    place.textContent = place.dataset.text!.replace("{time}", seconds.format(left))
  }
  const link = find<HTMLAnchorElement>(".back a")!
  let left = STAY_SECONDS
  say(line, left)
  // Screen readers announce the time once: a countdown would interrupt everything else.
  say(announced, left)
  find(".staying")!.hidden = false
  countdown = setInterval(() => {
    left--
    say(line, left)
    if (left > 0) return
    clearInterval(countdown)
    // Replaces the history entry: otherwise "back" would lead here, and away again.
    location.replace(link.href)
  }, 1000) as unknown as number
}

export function stay(): void {
  clearInterval(countdown)
  find(".staying")?.remove()
}
