import { clsx } from "clsx"
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
import { Icon } from "#app/components/icons.tsx"
import { Button } from "./button.tsx"
import { Slot } from "./slot.tsx"

// The browser's own modal dialogs: they block the page behind, close by Escape and return the focus.

const ModalContext = createContext<{ isOpen: boolean; setOpen: (open: boolean) => void } | null>(null)

function useModal() {
  const modal = use(ModalContext)
  if (!modal) throw new Error("Use a dialog's parts inside a Dialog")
  return modal
}

/** Opened by its trigger, or from outside by `open` and `onOpenChange`. */
export function Dialog({
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
export function DialogTrigger({ children }: { children: ReactElement }) {
  const { setOpen } = useModal()
  const attributes = { "aria-haspopup": "dialog" as const, onClick: () => setOpen(true) }
  return <Slot {...attributes}>{children}</Slot>
}

/** Its child is a button that closes the dialog. */
export function DialogClose({ children }: { children: ReactElement }) {
  const { setOpen } = useModal()
  return <Slot onClick={() => setOpen(false)}>{children}</Slot>
}

type ModalContentProps = Omit<ComponentProps<"dialog">, "title" | "open"> & {
  title: ReactNode
  description?: ReactNode
  /** Whether it stays open on a click outside. */
  insists?: boolean
}

/** Rendered only while open, so that its content starts fresh each time. */
function ModalContent(props: ModalContentProps) {
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
    // Closed before it is removed, because only then does the focus return.
    return () => element?.close()
  }, [])

  // The owner decides whether it closes on a phone's back gesture or on Escape, about which the browser would ask only
  // once.
  function cancel(event: SyntheticEvent) {
    if (event.target !== event.currentTarget) return
    event.preventDefault()
    setOpen(false)
  }
  function leave(event: KeyboardEvent<HTMLDialogElement>) {
    const { currentTarget, target, key } = event
    if (key !== "Escape" || (target as Element).closest("dialog") !== currentTarget) return
    // An open popover inside closes first.
    if (currentTarget.querySelector(":popover-open")) return
    event.preventDefault()
    setOpen(false)
  }

  // A press that began inside, to select text, does not count as a click outside.
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
        // To React, a row or link around the trigger also contains the dialog.
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

/** A dialog in the middle of the window. */
const dialogLook =
  "m-auto max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] max-w-lg overflow-y-auto rounded-xl border border-line bg-surface p-5 text-left text-sm leading-normal font-normal whitespace-normal text-ink shadow-card outline-none backdrop:bg-overlay motion-safe:animate-in motion-safe:fade-in-0 motion-safe:zoom-in-98"

/** A dialog always has a title. The description is optional. */
export function DialogContent({ className, children, ...props }: ComponentProps<typeof ModalContent>) {
  return (
    <ModalContent {...props} className={clsx(dialogLook, className)}>
      <div className="mt-4">{children}</div>
      <CloseButton />
    </ModalContent>
  )
}

/** The row of buttons at the end of a dialog, the primary one last. */
export function DialogFooter({ className, ...props }: ComponentProps<"div">) {
  return <div className={clsx("mt-5 flex flex-col-reverse gap-2 sm:flex-row sm:justify-end", className)} {...props} />
}

/** Last in the markup, so that the focus starts with the dialog's content. */
function CloseButton() {
  return (
    <DialogClose>
      <Button variant="ghost" size="icon-sm" aria-label="Close" className="absolute top-3 right-3 text-muted!">
        <Icon name="cross" />
      </Button>
    </DialogClose>
  )
}

/** A question that needs an answer: a click outside does not close it. */
export function AlertDialogContent({
  className,
  ...props
}: ComponentProps<typeof ModalContent> & { description: ReactNode }) {
  return <ModalContent role="alertdialog" insists {...props} className={clsx(dialogLook, "max-w-md!", className)} />
}

const sides = {
  left: "mr-auto border-r motion-safe:slide-in-from-left",
  right: "ml-auto border-l motion-safe:slide-in-from-right",
} as const

/** A dialog at the edge of the screen for long content, such as a menu or a transaction. */
export function SheetContent({
  side = "right",
  className,
  children,
  ...props
}: ComponentProps<typeof ModalContent> & { side?: keyof typeof sides }) {
  return (
    <ModalContent
      {...props}
      className={clsx(
        "m-0 h-dvh max-h-none w-[min(32rem,calc(100vw-2.5rem))] max-w-none overflow-y-auto border-line bg-surface p-5 text-left text-sm leading-normal font-normal whitespace-normal text-ink shadow-card outline-none backdrop:bg-overlay motion-safe:animate-in",
        sides[side],
        className,
      )}
    >
      <div className="mt-4">{children}</div>
      <CloseButton />
    </ModalContent>
  )
}
