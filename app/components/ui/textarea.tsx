"use client"

import type { ComponentProps } from "react"
import { cn } from "#app/components/cn.ts"
import { controlLook, useControl } from "./control.ts"

/** Inside of a `Field` it has its name, label, hint and error from there. */
export function Textarea({ className, ...props }: ComponentProps<"textarea">) {
  return (
    <textarea rows={3} {...useControl()} {...props} className={cn(controlLook, "block py-2", className)} />
  )
}
