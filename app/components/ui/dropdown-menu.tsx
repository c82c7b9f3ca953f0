"use client"

import * as Primitive from "radix-ui/dropdown-menu"
import type { ComponentProps } from "react"
import { cn } from "../cn.ts"
import { floatingLook } from "./overlay.ts"

export const DropdownMenu = Primitive.Root
export const DropdownMenuTrigger = Primitive.Trigger
export const DropdownMenuGroup = Primitive.Group
export const DropdownMenuRadioGroup = Primitive.RadioGroup

export function DropdownMenuContent({ className, ...props }: ComponentProps<typeof Primitive.Content>) {
  return (
    <Primitive.Portal>
      <Primitive.Content
        sideOffset={4}
        align="end"
        collisionPadding={8}
        {...props}
        className={cn(floatingLook, "min-w-44 p-1", className)}
      />
    </Primitive.Portal>
  )
}

const itemLook =
  "flex cursor-pointer items-center gap-2 rounded-md px-2 py-1.5 outline-none select-none data-disabled:cursor-not-allowed data-disabled:opacity-50 data-highlighted:bg-sunken pointer-coarse:py-2.5 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted"

export function DropdownMenuItem({
  className,
  danger = false,
  ...props
}: ComponentProps<typeof Primitive.Item> & { danger?: boolean }) {
  return (
    <Primitive.Item
      {...props}
      className={cn(itemLook, danger && "text-danger [&_svg]:text-danger", className)}
    />
  )
}

export function DropdownMenuRadioItem({
  className,
  children,
  ...props
}: ComponentProps<typeof Primitive.RadioItem>) {
  return (
    <Primitive.RadioItem {...props} className={cn(itemLook, "justify-between", className)}>
      {children}
      <Primitive.ItemIndicator className="text-accent">✓</Primitive.ItemIndicator>
    </Primitive.RadioItem>
  )
}

export function DropdownMenuLabel({ className, ...props }: ComponentProps<typeof Primitive.Label>) {
  return <Primitive.Label {...props} className={cn("px-2 py-1.5 text-xs text-muted", className)} />
}

export function DropdownMenuSeparator({ className, ...props }: ComponentProps<typeof Primitive.Separator>) {
  return <Primitive.Separator {...props} className={cn("-mx-1 my-1 h-px bg-line", className)} />
}
