import { clsx } from "clsx"
import { cloneElement, useEffect, useId, useRef, useState } from "react"

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

const ITEMS = "[role^=menuitem]:not([aria-disabled=true])"
const inRow = (item: Element | undefined): boolean => item?.closest("[data-row]") != null
const itemsOf = (menu: HTMLElement) => [...menu.querySelectorAll<HTMLElement>(ITEMS)]

type MenuProps = {
  /** The button that opens and closes it. */
  trigger: React.ReactElement<React.ComponentProps<"button">>
  align?: Align
  className?: string
  children: React.ReactNode
}

/** Keeps a popover next to its anchor. `onOpen` runs once it has its place. */
function useFloating(align: Align, onOpen: (floating: HTMLElement) => void) {
  const anchor = useRef<HTMLButtonElement>(null)
  const floating = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (!isOpen) return
    const place = () => placeBeside(anchor.current!, floating.current!, align)
    window.addEventListener("scroll", place, true)
    window.addEventListener("resize", place)
    return () => {
      window.removeEventListener("scroll", place, true)
      window.removeEventListener("resize", place)
    }
  }, [isOpen, align])

  function toggle(event: React.ToggleEvent) {
    const opens = event.newState === "open"
    setOpen(opens)
    if (!opens) return
    // The popover has no size until it is shown, and is not painted before this runs.
    requestAnimationFrame(() => {
      if (!anchor.current || !floating.current) return
      placeBeside(anchor.current, floating.current, align)
      onOpen(floating.current)
    })
  }
  return { anchor, floating, toggle }
}

// Without `inset-auto` and `m-0` it would be in the middle of the window.
const floatingLook =
  "fixed inset-auto m-0 max-h-[calc(100dvh-1rem)] overflow-y-auto rounded-lg border border-line bg-surface text-left text-sm leading-normal font-normal whitespace-normal text-ink shadow-card outline-none"

export function Menu({ trigger, align = "end", className, children }: MenuProps) {
  const id = useId()
  const { anchor, floating, toggle } = useFloating(align, (menu) => itemsOf(menu)[0]?.focus())

  function walk(event: React.KeyboardEvent<HTMLElement>) {
    const items = itemsOf(event.currentTarget)
    const here = items.indexOf(document.activeElement as HTMLElement)
    const next = {
      ArrowDown: items[(here + 1) % items.length],
      ArrowUp: items.at(here <= 0 ? -1 : here - 1),
      ...(inRow(items[here]) && {
        ArrowRight: document.activeElement?.nextElementSibling as HTMLElement | null,
        ArrowLeft: document.activeElement?.previousElementSibling as HTMLElement | null,
      }),
      Home: items[0],
      End: items.at(-1),
    }[event.key]
    if (next) {
      event.preventDefault()
      next.focus()
      // Tab leaves the menu.
    } else if (event.key === "Tab") event.currentTarget.hidePopover()
  }

  return (
    <>
      {cloneElement(trigger, { ref: anchor, popoverTarget: id, "aria-haspopup": "menu" })}
      <div
        ref={floating}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        onBeforeToggle={toggle}
        onKeyDown={walk}
        // Before the item's own handler, which may open a dialog.
        onClickCapture={({ target, currentTarget }) => {
          const item = (target as Element).closest(ITEMS)
          // Choices in a row stay, so that the reader sees what changes.
          if (item && !inRow(item)) currentTarget.hidePopover()
        }}
        className={clsx(floatingLook, "min-w-44 p-1", className)}
      >
        {children}
      </div>
    </>
  )
}

type PopoverProps = {
  /** The button that opens and closes it. */
  trigger: React.ReactElement<React.ComponentProps<"button">>
  /** Names it for screen readers. */
  label: string
  className?: string
  /** `close` closes it, which returns the focus to the button. */
  children: (close: () => void) => React.ReactNode
}

/** A few controls that open below a button. */
export function Popover({ trigger, label, className, children }: PopoverProps) {
  const id = useId()
  const { anchor, floating, toggle } = useFloating("start", (panel) =>
    panel.querySelector<HTMLElement>("button, input")?.focus(),
  )
  return (
    <>
      {cloneElement(trigger, { ref: anchor, popoverTarget: id, "aria-haspopup": "dialog" })}
      <div
        ref={floating}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={label}
        tabIndex={-1}
        onBeforeToggle={toggle}
        className={clsx(floatingLook, "p-3", className)}
      >
        {children(() => floating.current?.hidePopover())}
      </div>
    </>
  )
}

type ItemProps = Omit<React.ComponentProps<"button">, "onSelect" | "type"> & { onSelect: () => void; danger?: boolean }

export const itemLook =
  "flex w-full cursor-pointer items-center gap-2 rounded-md px-2 py-1.5 text-left -outline-offset-2 hover:bg-sunken focus:bg-sunken aria-disabled:cursor-not-allowed aria-disabled:opacity-50 pointer-coarse:py-3 [&_svg]:size-4 [&_svg]:shrink-0"

export const MenuItem = ({ onSelect, danger = false, disabled = false, ...props }: ItemProps) => (
  <button
    type="button"
    role="menuitem"
    tabIndex={-1}
    {...(disabled ? { "aria-disabled": true } : { onClick: onSelect })}
    {...props}
    className={clsx(itemLook, danger ? "text-danger" : "[&_svg]:text-muted", props.className)}
  />
)

/** A ref for a part of items that load late: if their menu is already open, the first item takes the focus. */
export function focusLateItems(part: HTMLElement | null): void {
  const menu = part?.closest<HTMLElement>("[role=menu]")
  if (menu?.matches(":popover-open")) itemsOf(menu)[0]?.focus()
}

/** Text above the items. */
export const MenuLabel = ({ className, ...props }: React.ComponentProps<"div">) => (
  <div role="presentation" {...props} className={clsx("px-2 py-1.5 text-xs text-muted", className)} />
)

export const MenuSeparator = () => <hr className="-mx-1 my-1 border-line" />
