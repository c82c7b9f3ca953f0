import type { ReactNode } from "react"
import { Icon } from "./icons.tsx"

/** A chosen value as a chip. A click removes it. */
export const Removable = ({ onRemove, children }: { onRemove: () => void; children: ReactNode }) => (
  <button
    type="button"
    onClick={onRemove}
    className="inline-flex min-h-7 cursor-pointer items-center gap-1 rounded-full border border-line bg-sunken py-0.5 pr-1.5 pl-2.5 text-[13px] hover:border-field pointer-coarse:min-h-9"
  >
    <span className="sr-only">Remove </span>
    {children}
    <Icon name="cross" className="size-3.5 text-muted" />
  </button>
)
