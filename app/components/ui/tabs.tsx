import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef } from "react"

const MOVES: Record<string, (at: number, count: number) => number> = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at - 1 + count) % count,
  Home: () => 0,
  End: (_at, count) => count - 1,
}

type TabsProps<Tab extends string> = {
  /** Names the tabs for screen readers. */
  label: string
  value: Tab
  onChange: (tab: Tab) => void
  /** The name of each tab, and its panel. */
  tabs: Record<Tab, readonly [name: ReactNode, panel: ReactNode]>
}

/** Shows one of several panels. One stop of the Tab key; the arrow keys move between tabs. */
export function Tabs<Tab extends string>({ label, value, onChange, tabs }: TabsProps<Tab>) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is shown
  useLayoutEffect(() => reveal(list.current!), [value])
  function move(event: KeyboardEvent<HTMLDivElement>) {
    const to = MOVES[event.key]
    const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=tab]")]
    const at = buttons.indexOf(event.target as HTMLElement)
    if (!to || at < 0) return
    event.preventDefault()
    const next = buttons[to(at, buttons.length)]!
    next.focus()
    next.click()
  }
  return (
    <div>
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        onKeyDown={move}
        className="fades-sideways flex gap-x-2.5 overflow-x-auto border-b border-line px-0.5 sm:gap-x-5"
      >
        {(Object.keys(tabs) as Tab[]).map((tab) => (
          <button
            key={tab}
            type="button"
            role="tab"
            id={`${id}-tab-${tab}`}
            aria-selected={tab === value}
            {...(tab === value && { "aria-controls": `${id}-panel-${tab}` })}
            tabIndex={tab === value ? 0 : -1}
            onClick={() => onChange(tab)}
            className="-mb-px cursor-pointer border-b-2 border-transparent py-2 text-sm font-medium whitespace-nowrap text-muted -outline-offset-2 hover:text-ink aria-selected:border-accent aria-selected:text-ink pointer-coarse:py-3"
          >
            {tabs[tab][0]}
          </button>
        ))}
      </div>
      <div
        key={value}
        role="tabpanel"
        id={`${id}-panel-${value}`}
        aria-labelledby={`${id}-tab-${value}`}
        className="mt-5"
      >
        {tabs[value][1]}
      </div>
    </div>
  )
}

/** The width of what `fades-sideways` fades at each end. */
const FADE_PX = 48

/** Scrolls a selected tab to the middle unless all of it is clear. Not `scrollIntoView`, which could also move the page. */
function reveal(list: HTMLElement): void {
  const tab = list.querySelector("[aria-selected=true]")!
  const [own, around] = [tab.getBoundingClientRect(), list.getBoundingClientRect()]
  const isClear = own.left >= around.left + FADE_PX && own.right <= around.right - FADE_PX
  if (!isClear) list.scrollLeft += (own.left + own.right - around.left - around.right) / 2
}
