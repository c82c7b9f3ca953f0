import { clsx } from "clsx"
import { cloneElement, type HTMLAttributes, isValidElement, type MouseEvent, type Ref } from "react"

type Attributes = HTMLAttributes<HTMLElement> & {
  popoverTarget?: string | undefined
  ref?: Ref<HTMLElement> | undefined
}

/**
 * Its one child, with these attributes besides. What the child says itself stands; of two click
 * handlers its own is first.
 */
export function Slot({ children, ...given }: Attributes) {
  if (!isValidElement<Attributes>(children)) throw new Error("A slot has one child, an element")
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
