import { clsx } from "clsx"
import {
  type ComponentProps,
  createContext,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  type Ref,
  type RefObject,
  type ToggleEvent,
  use,
  useEffect,
  useId,
  useRef,
  useState,
} from "react"
import { Slot } from "./slot.tsx"

// The browser's own popovers: they lie above everything, close by Escape or a click outside, and return the focus. This
// code only positions them. Libraries for that are as large as the rest of a page.

const GAP_PX = 4
const EDGE_PX = 8

type Align = "start" | "end"

/** Below its anchor, or above if there is more room there. Never outside the window. */
function placeBeside(anchor: Element, floating: HTMLElement, align: Align): void {
  const box = anchor.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = floating
  const fitsBelow = box.bottom + GAP_PX + height <= window.innerHeight - EDGE_PX
  const isBelow = fitsBelow || box.top < window.innerHeight - box.bottom
  const top = isBelow ? box.bottom + GAP_PX : Math.max(EDGE_PX, box.top - GAP_PX - height)
  const wanted = align === "start" ? box.left : box.right - width
  const last = document.documentElement.clientWidth - width - EDGE_PX
  floating.style.top = `${top}px`
  floating.style.left = `${Math.max(EDGE_PX, Math.min(wanted, last))}px`
}

/** Classes of every popover. Without them it would be in the middle of the window. */
const placedLook = "fixed inset-auto m-0 max-h-[calc(100dvh-1rem)] overflow-y-auto"

type Anchored = { id: string; anchor: RefObject<HTMLButtonElement | null> }

const AnchoredContext = createContext<Anchored | null>(null)

function useAnchored(): Anchored {
  const anchor = useRef<HTMLButtonElement>(null)
  const id = useId()
  return { id, anchor }
}

function useAnchor(): Anchored {
  const anchored = use(AnchoredContext)
  if (!anchored) throw new Error("Use a popover's parts inside a popover")
  return anchored
}

/** Attributes that open a popover at its anchor and keep it there. */
function usePlaced(align: Align, onOpen?: (popover: HTMLElement) => void) {
  const { id, anchor } = useAnchor()
  const ref = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (!isOpen) return
    const place = () => {
      if (anchor.current && ref.current) placeBeside(anchor.current, ref.current, align)
    }
    window.addEventListener("scroll", place, true)
    window.addEventListener("resize", place)
    return () => {
      window.removeEventListener("scroll", place, true)
      window.removeEventListener("resize", place)
    }
  }, [isOpen, align, anchor])

  function onBeforeToggle(event: ToggleEvent<HTMLDivElement>) {
    const opens = event.newState === "open"
    setOpen(opens)
    if (!opens) return
    // The popover has no size until it is shown, and is not painted before this runs.
    requestAnimationFrame(() => {
      if (!anchor.current || !ref.current) return
      placeBeside(anchor.current, ref.current, align)
      onOpen?.(ref.current)
    })
  }
  return { ref, id, popover: "auto" as const, onBeforeToggle }
}

const floatingLook =
  "rounded-lg border border-line bg-surface text-left text-sm leading-normal font-normal whitespace-normal text-ink shadow-card outline-none"

export function DropdownMenu({ children }: { children: ReactNode }) {
  return <AnchoredContext value={useAnchored()}>{children}</AnchoredContext>
}

/** Its child is the button that opens and closes the menu. */
export function DropdownMenuTrigger({ children }: { children: ReactElement }) {
  const { id, anchor } = useAnchor()
  return (
    <Slot ref={anchor as Ref<HTMLElement>} popoverTarget={id} aria-haspopup="menu">
      {children}
    </Slot>
  )
}

const itemsOf = (menu: HTMLElement) => [
  ...menu.querySelectorAll<HTMLElement>("[role^=menuitem]:not([aria-disabled=true])"),
]

export function DropdownMenuContent({ align = "end", className, ...props }: ComponentProps<"div"> & { align?: Align }) {
  const placed = usePlaced(align, (menu) => itemsOf(menu)[0]?.focus())

  function walk(event: KeyboardEvent<HTMLDivElement>) {
    const menu = event.currentTarget
    const items = itemsOf(menu)
    const here = items.indexOf(document.activeElement as HTMLElement)
    const next = {
      ArrowDown: items[(here + 1) % items.length],
      ArrowUp: items.at(here <= 0 ? -1 : here - 1),
      Home: items[0],
      End: items.at(-1),
    }[event.key]
    if (next) {
      event.preventDefault()
      next.focus()
    } else if (event.key === "Tab") {
      // Tab leaves the menu.
      menu.hidePopover()
    }
  }

  return (
    <div
      role="menu"
      tabIndex={-1}
      onKeyDown={walk}
      {...props}
      {...placed}
      className={clsx(floatingLook, placedLook, "min-w-44 p-1", className)}
    />
  )
}

type ItemProps = Omit<ComponentProps<"button">, "onSelect" | "type"> & {
  onSelect: () => void
  danger?: boolean
}

export function DropdownMenuItem({ onSelect, danger = false, disabled = false, className, ...props }: ItemProps) {
  const { id } = useAnchor()
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      {...(disabled && { "aria-disabled": true })}
      {...props}
      onClick={() => {
        if (disabled) return
        document.getElementById(id)?.hidePopover()
        onSelect()
      }}
      className={clsx(
        "flex w-full cursor-pointer items-center gap-2 rounded-md px-2 py-1.5 text-left -outline-offset-2 hover:bg-sunken focus:bg-sunken aria-disabled:cursor-not-allowed aria-disabled:opacity-50 pointer-coarse:py-2.5 [&_svg]:size-4 [&_svg]:shrink-0",
        danger ? "text-danger" : "[&_svg]:text-muted",
        className,
      )}
    />
  )
}

const ChoiceContext = createContext<{ value: string; onValueChange: (value: string) => void } | null>(null)

/** Items of which one is selected. */
export function DropdownMenuRadioGroup({
  value,
  onValueChange,
  ...props
}: ComponentProps<"div"> & { value: string; onValueChange: (value: string) => void }) {
  return (
    <ChoiceContext value={{ value, onValueChange }}>
      {/* biome-ignore lint/a11y/useSemanticElements: a menu has no fieldsets */}
      <div role="group" {...props} />
    </ChoiceContext>
  )
}

export function DropdownMenuRadioItem({
  value,
  children,
  ...props
}: Omit<ItemProps, "danger" | "onSelect" | "value"> & { value: string }) {
  const choice = use(ChoiceContext)
  const isChosen = choice?.value === value
  return (
    <DropdownMenuItem
      {...props}
      role="menuitemradio"
      aria-checked={isChosen}
      onSelect={() => choice?.onValueChange(value)}
    >
      <span className="min-w-0 flex-1">{children}</span>
      <span aria-hidden="true" className="text-accent">
        {isChosen ? "✓" : ""}
      </span>
    </DropdownMenuItem>
  )
}

/** Text above the items. */
export function DropdownMenuLabel({ className, ...props }: ComponentProps<"div">) {
  return <div role="presentation" {...props} className={clsx("px-2 py-1.5 text-xs text-muted", className)} />
}

export function DropdownMenuSeparator({ className, ...props }: ComponentProps<"hr">) {
  return <hr {...props} className={clsx("-mx-1 my-1 border-line", className)} />
}
