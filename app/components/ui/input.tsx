"use client"

import type { ComponentProps } from "react"
import { cn } from "#app/components/cn.ts"
import { controlLook, useControl } from "./control.ts"

/** Inside of a `Field` it has its name, label, hint and error from there. */
export function Input({ className, ...props }: ComponentProps<"input">) {
  return (
    <input
      type="text"
      {...useControl()}
      {...props}
      className={cn(controlLook, "h-9 read-only:bg-sunken pointer-coarse:h-11", className)}
    />
  )
}
