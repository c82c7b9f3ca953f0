import { clsx } from "clsx"
import {
  type ComponentProps,
  createContext,
  type KeyboardEvent,
  use,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react"

type Chosen = { id: string; value: string | undefined; choose: (value: string) => void }

const TabsContext = createContext<Chosen | null>(null)

function useTabs() {
  const tabs = use(TabsContext)
  if (!tabs) throw new Error("Use tabs inside Tabs")
  return tabs
}

/** Shows one of several panels. To keep the choice elsewhere, pass `value` and `onValueChange`. */
export function Tabs({
  defaultValue,
  value,
  onValueChange,
  ...props
}: Omit<ComponentProps<"div">, "defaultValue"> & {
  defaultValue?: string
  value?: string
  onValueChange?: (value: string) => void
}) {
  const id = useId()
  const [valueInside, setValueInside] = useState(defaultValue)
  const choose = (next: string) => {
    setValueInside(next)
    onValueChange?.(next)
  }
  return (
    <TabsContext value={{ id, value: value ?? valueInside, choose }}>
      <div {...props} />
    </TabsContext>
  )
}

const MOVES: Record<string, (at: number, count: number) => number> = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at - 1 + count) % count,
  Home: () => 0,
  End: (_at, count) => count - 1,
}

/** One stop of the Tab key; the arrow keys move between tabs. */
export function TabsList({ className, ...props }: ComponentProps<"div">) {
  function move(event: KeyboardEvent<HTMLDivElement>) {
    const to = MOVES[event.key]
    const tabs = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=tab]")]
    const at = tabs.indexOf(event.target as HTMLElement)
    if (!to || at < 0) return
    event.preventDefault()
    const next = tabs[to(at, tabs.length)]!
    next.focus()
    next.click()
  }
  return (
    <div
      role="tablist"
      onKeyDown={move}
      {...props}
      className={clsx("flex gap-x-2.5 overflow-x-auto border-b border-line px-0.5 sm:gap-x-5", className)}
    />
  )
}

export function TabsTrigger({
  value,
  className,
  ...props
}: Omit<ComponentProps<"button">, "value"> & { value: string }) {
  const { id, value: chosen, choose } = useTabs()
  const isChosen = value === chosen
  const tab = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    if (isChosen && tab.current) reveal(tab.current)
  }, [isChosen])
  return (
    <button
      ref={tab}
      type="button"
      role="tab"
      id={`${id}-tab-${value}`}
      aria-selected={isChosen}
      {...(isChosen && { "aria-controls": `${id}-panel-${value}` })}
      tabIndex={isChosen ? 0 : -1}
      onClick={() => choose(value)}
      {...props}
      className={clsx(
        "-mb-px cursor-pointer border-b-2 border-transparent py-2 text-sm font-medium whitespace-nowrap text-muted -outline-offset-2 hover:text-ink aria-selected:border-accent aria-selected:text-ink pointer-coarse:py-3",
        className,
      )}
    />
  )
}

/** Scrolls the list to a tab that is not fully visible. Not `scrollIntoView`, which could also move the page. */
function reveal(tab: HTMLElement): void {
  const list = tab.parentElement!
  const [own, around] = [tab.getBoundingClientRect(), list.getBoundingClientRect()]
  if (own.right > around.right) list.scrollLeft += own.right - around.right
  else if (own.left < around.left) list.scrollLeft -= around.left - own.left
}

/** Rendered only while its tab is selected. */
export function TabsContent({ value, className, ...props }: ComponentProps<"div"> & { value: string }) {
  const { id, value: chosen } = useTabs()
  if (value !== chosen) return null
  return (
    <div
      role="tabpanel"
      id={`${id}-panel-${value}`}
      aria-labelledby={`${id}-tab-${value}`}
      {...props}
      className={clsx("mt-5", className)}
    />
  )
}
