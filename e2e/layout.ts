import type { Page } from "@playwright/test"

type Shift = { value: number; of: string[] }
type Counting = { shifts: Shift[] }

/** An init script that records layout shifts, except those caused by the reader. */
export function countLayoutShifts(): void {
  const shifts: Shift[] = []
  Object.assign(window, { shifts })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & {
      value: number
      hadRecentInput: boolean
      sources: { node: Node | null }[]
    })[]) {
      const of = entry.sources.map(({ node }) =>
        (node instanceof Element ? node.outerHTML : String(node?.textContent)).slice(0, 120),
      )
      if (!entry.hadRecentInput) shifts.push({ value: entry.value, of })
    }
  }).observe({ type: "layout-shift", buffered: true })
}

/** The recorded shifts, once all answers are drawn. */
export const layoutShifts = (page: Page): Promise<Shift[]> =>
  page.evaluate(async () => {
    await document.fonts.ready
    // A change is drawn in the next frame and reported before the one after.
    for (let frame = 0; frame < 3; frame++) await new Promise((drawn) => requestAnimationFrame(drawn))
    return (window as unknown as Counting).shifts
  })

/**
 * Short words of a table that are broken over two lines, except user input, which may break anywhere, and breaks at hyphens.
 */
export const brokenWords = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll("td:not(.wrap-anywhere), th")].flatMap((cell) => {
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
      const broken: string[] = []
      for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        for (const { 0: word, index } of text.textContent!.matchAll(/\S+/g)) {
          if (word.length > 14 || word.includes("-") || !text.parentElement!.checkVisibility()) continue
          const range = document.createRange()
          range.setStart(text, index)
          range.setEnd(text, index + word.length)
          if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(word)
        }
      }
      return broken
    }),
  )

/** Tables that scroll sideways, except those of documents. */
export const scrollingTables = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLTableElement>("table:not(.prose table)")].flatMap((table) => {
      if (!table.checkVisibility()) return []
      for (let box = table.parentElement; box; box = box.parentElement) {
        const { scrollWidth, clientWidth } = box
        const scrolls = /auto|scroll/.test(getComputedStyle(box).overflowX)
        if (scrolls && scrollWidth > clientWidth) {
          return `${table.caption?.textContent}: ${scrollWidth} px in ${clientWidth} px`
        }
      }
      return []
    }),
  )
