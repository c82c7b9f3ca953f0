"use client"

import { type ComponentProps, createContext, type KeyboardEvent, type ReactElement, use } from "react"
import { cn } from "#app/components/cn.ts"
import { type Align, placedLook, useAnchor, usePlaced } from "./floating.ts"
import { floatingLook } from "./overlay.ts"
import { Popover, PopoverTrigger } from "./popover.tsx"

export const DropdownMenu = Popover

/** Its child is the button that opens the menu. */
export function DropdownMenuTrigger({ children }: { children: ReactElement }) {
  return <PopoverTrigger haspopup="menu">{children}</PopoverTrigger>
}

const itemsOf = (menu: HTMLElement) => [
  ...menu.querySelectorAll<HTMLElement>("[role^=menuitem]:not([aria-disabled=true])"),
]

export function DropdownMenuContent({
  align = "end",
  className,
  ...props
}: ComponentProps<"div"> & { align?: Align }) {
  const { isOpen: _, ...placed } = usePlaced(align, (menu) => itemsOf(menu)[0]?.focus())

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
      // A menu is left, not walked through.
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
      className={cn(floatingLook, placedLook, "min-w-44 p-1", className)}
    />
  )
}

type ItemProps = Omit<ComponentProps<"button">, "onSelect" | "type"> & {
  onSelect: () => void
  danger?: boolean
}

export function DropdownMenuItem({
  onSelect,
  danger = false,
  disabled = false,
  className,
  ...props
}: ItemProps) {
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
      className={cn(
        "flex w-full cursor-pointer items-center gap-2 rounded-md px-2 py-1.5 text-left -outline-offset-2 hover:bg-sunken focus:bg-sunken aria-disabled:cursor-not-allowed aria-disabled:opacity-50 pointer-coarse:py-2.5 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted",
        danger && "text-danger [&_svg]:text-danger",
        className,
      )}
    />
  )
}

const ChoiceContext = createContext<{ value: string; onValueChange: (value: string) => void } | null>(null)

/** Items of which one holds. */
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

/** Words above the items; they are no item. */
export function DropdownMenuLabel({ className, ...props }: ComponentProps<"div">) {
  return <div role="presentation" {...props} className={cn("px-2 py-1.5 text-xs text-muted", className)} />
}

export function DropdownMenuSeparator({ className, ...props }: ComponentProps<"hr">) {
  return <hr {...props} className={cn("-mx-1 my-1 border-line", className)} />
}
