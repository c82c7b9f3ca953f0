import { clsx } from "clsx"
import { cloneElement, type HTMLAttributes, isValidElement, type MouseEvent, type Ref } from "react"

type Attributes = HTMLAttributes<HTMLElement> & {
  popoverTarget?: string | undefined
  ref?: Ref<HTMLElement> | undefined
}

/**
 * Renders its one child with these attributes added. The child's own attributes win, and its own click handler runs
 * first.
 */
export function Slot({ children, ...given }: Attributes) {
  if (!isValidElement<Attributes>(children)) throw new Error("A slot needs exactly one element as its child")
  const own = children.props
  return cloneElement(children, {
    ...given,
    ...own,
    ...((given.className || own.className) && { className: clsx(given.className, own.className) }),
    ...(given.onClick &&
      own.onClick && {
        onClick: (event: MouseEvent<HTMLElement>) => {
          own.onClick?.(event)
          given.onClick?.(event)
        },
      }),
  })
}
