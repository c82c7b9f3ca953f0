"use client"

import { Slot } from "radix-ui/slot"
import {
  type ComponentProps,
  createContext,
  type KeyboardEvent,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  type SyntheticEvent,
  use,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react"

// The browser's own modal dialogs: the page behind is out of reach, Escape closes, and the focus returns.

const ModalContext = createContext<{ isOpen: boolean; setOpen: (open: boolean) => void } | null>(null)

function useModal() {
  const modal = use(ModalContext)
  if (!modal) throw new Error("A dialog's parts stand inside of it")
  return modal
}

/** Opened by its trigger, or from outside by `open` and `onOpenChange`. */
export function Modal({
  open,
  onOpenChange,
  children,
}: {
  open?: boolean
  onOpenChange?: (open: boolean) => void
  children: ReactNode
}) {
  const [isOpenInside, setOpenInside] = useState(false)
  const setOpen = (next: boolean) => {
    setOpenInside(next)
    onOpenChange?.(next)
  }
  return <ModalContext value={{ isOpen: open ?? isOpenInside, setOpen }}>{children}</ModalContext>
}

/** Its child is the button that opens the dialog. */
export function ModalTrigger({ children }: { children: ReactElement }) {
  const { setOpen } = useModal()
  const attributes = { "aria-haspopup": "dialog" as const, onClick: () => setOpen(true) }
  return <Slot {...attributes}>{children}</Slot>
}

/** Its child is a button that closes the dialog. */
export function ModalClose({ children }: { children: ReactElement }) {
  const { setOpen } = useModal()
  return <Slot onClick={() => setOpen(false)}>{children}</Slot>
}

type ModalContentProps = Omit<ComponentProps<"dialog">, "title" | "open"> & {
  title: ReactNode
  description?: ReactNode
  /** Whether a click beside it leaves it open. */
  insists?: boolean
}

/** There while it is open, and not before: what is in it begins anew each time. */
export function ModalContent(props: ModalContentProps) {
  const { isOpen } = useModal()
  return isOpen ? <OpenModal {...props} /> : null
}

function OpenModal({ title, description, insists = false, children, ...props }: ModalContentProps) {
  const { setOpen } = useModal()
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    // Closed before it goes, for only then does the focus return to where it was.
    return () => element?.close()
  }, [])

  // Whether it closes, its owner decides: asked by a phone's gesture for going back, and by Escape, which the browser
  // would ask about only once.
  function cancel(event: SyntheticEvent) {
    if (event.target !== event.currentTarget) return
    event.preventDefault()
    setOpen(false)
  }
  function leave(event: KeyboardEvent<HTMLDialogElement>) {
    const { currentTarget, target, key } = event
    if (key !== "Escape" || (target as Element).closest("dialog") !== currentTarget) return
    // What is open inside closes first.
    if (currentTarget.querySelector(":popover-open")) return
    event.preventDefault()
    setOpen(false)
  }

  // A press that began inside, to mark some text, is none beside it.
  const pressed = useRef(false)
  function press(event: MouseEvent<HTMLDialogElement>) {
    const box = event.currentTarget.getBoundingClientRect()
    const { clientX: x, clientY: y } = event
    pressed.current = x < box.left || x > box.right || y < box.top || y > box.bottom
  }

  return (
    <dialog
      {...props}
      ref={dialog}
      aria-labelledby={`${id}-title`}
      {...(description && { "aria-describedby": `${id}-description` })}
      onCancel={cancel}
      onKeyDown={leave}
      onMouseDown={press}
      onClick={(event) => {
        // To React a row or a link around the trigger is around the dialog too.
        event.stopPropagation()
        if (!insists && pressed.current && event.target === event.currentTarget) setOpen(false)
      }}
    >
      <h2 id={`${id}-title`} className="pr-8 text-base font-semibold">
        {title}
      </h2>
      {description && (
        <p id={`${id}-description`} className="mt-1 text-muted">
          {description}
        </p>
      )}
      {children}
    </dialog>
  )
}
