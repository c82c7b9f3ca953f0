import { clsx } from "clsx"
import { cloneElement, createContext, use, useEffect, useId, useLayoutEffect, useRef, useState } from "react"
import { Icon } from "#app/components/icons.tsx"
import { Button, type ButtonProps } from "./button.tsx"

// The browser's own modal dialogs: they block the page behind, close by Escape and return the focus.

// A field that takes the focus is scrolled clear of a pinned button.
const look =
  "has-data-pinned:scroll-pb-20 overflow-y-auto border-line bg-surface p-5 text-left text-sm leading-normal font-normal whitespace-normal text-ink shadow-card outline-none backdrop:bg-overlay motion-safe:animate-in"
const middle = `${look} m-auto max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] max-w-lg rounded-xl border motion-safe:fade-in-0 motion-safe:zoom-in-98`
const edge = `${look} m-0 h-dvh max-h-none w-[min(32rem,calc(100vw-2.5rem))] max-w-none`

const kinds = {
  dialog: middle,
  question: `${middle} max-w-md!`,
  left: `${edge} mr-auto border-r motion-safe:slide-in-from-left`,
  right: `${edge} ml-auto border-l motion-safe:slide-in-from-right`,
} as const

export type DialogProps = {
  title: React.ReactNode
  description?: React.ReactNode
  /** The button that opens it. Without one it is open until its owner removes it. */
  trigger?: React.ReactElement<React.ComponentProps<"button">>
  onClose?: () => void
  /** Opens it without a click, as the page's address can ask for. */
  opens?: boolean
  /** A question needs an answer. `left` and `right` are at the edge of the screen, for long content. */
  kind?: keyof typeof kinds
  /** Whether it stays open on a click outside, as a question does. */
  insists?: boolean
  className?: string
  /** Rendered only while open, so that it starts fresh each time. */
  children: React.ReactNode | ((close: () => void) => React.ReactNode)
}

const CloseContext = createContext(() => {})

export function Dialog({ trigger, onClose, opens = false, ...modal }: DialogProps) {
  const [isOpen, setOpen] = useState(opens)
  useEffect(() => {
    if (opens) setOpen(true)
  }, [opens])
  function close() {
    setOpen(false)
    onClose?.()
  }
  return (
    <CloseContext value={close}>
      {trigger && cloneElement(trigger, { "aria-haspopup": "dialog", onClick: () => setOpen(true) })}
      {(isOpen || !trigger) && <Modal {...modal} />}
    </CloseContext>
  )
}

function Modal({
  title,
  description,
  kind = "dialog",
  insists = kind === "question",
  className,
  children,
}: Omit<DialogProps, "trigger" | "onClose" | "opens">) {
  const close = use(CloseContext)
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const element = dialog.current
    keepScrollbarWidth()
    element?.showModal()
    // Closed before it is removed, because only then does the focus return.
    return () => element?.close()
  }, [])

  // The owner decides whether it closes on a phone's back gesture or on Escape, about which the browser would ask only
  // once.
  function cancel(event: React.SyntheticEvent) {
    if (event.target !== event.currentTarget) return
    event.preventDefault()
    close()
  }
  function leave(event: React.KeyboardEvent<HTMLDialogElement>) {
    const { currentTarget, target, key } = event
    if (key !== "Escape" || (target as Element).closest("dialog") !== currentTarget) return
    // An open popover inside closes first.
    if (currentTarget.querySelector(":popover-open")) return
    event.preventDefault()
    close()
  }

  // A press that began inside, to select text, does not count as a click outside.
  const pressed = useRef(false)
  function press(event: React.MouseEvent<HTMLDialogElement>) {
    const box = event.currentTarget.getBoundingClientRect()
    const { clientX: x, clientY: y } = event
    pressed.current = x < box.left || x > box.right || y < box.top || y > box.bottom
  }

  return (
    <dialog
      ref={dialog}
      {...(kind === "question" && { role: "alertdialog" })}
      aria-labelledby={`${id}-title`}
      {...(description && { "aria-describedby": `${id}-description` })}
      onCancel={cancel}
      onKeyDown={leave}
      onMouseDown={press}
      onClick={(event) => {
        // To React, a row or link around the trigger also contains the dialog.
        event.stopPropagation()
        if (!insists && pressed.current && event.target === event.currentTarget) close()
      }}
      className={clsx(kinds[kind], className)}
    >
      <h2 id={`${id}-title`} className="pr-8 text-base font-semibold">
        {title}
      </h2>
      {description && (
        <p id={`${id}-description`} className="mt-1 text-muted">
          {description}
        </p>
      )}
      <div className="mt-4">{typeof children === "function" ? children(close) : children}</div>
      {/* Last in the markup, so that the focus starts with the dialog's content. */}
      {kind !== "question" && (
        <DismissButton variant="ghost" size="icon-sm" aria-label="Close" className="absolute top-3 right-3 text-muted!">
          <Icon name="cross" />
        </DismissButton>
      )}
    </dialog>
  )
}

/** For the style of the page behind a dialog. A dialog in a dialog finds no scrollbar. */
function keepScrollbarWidth() {
  const { documentElement: root } = document
  const width_px = window.innerWidth - root.clientWidth
  if (width_px > 0) root.style.setProperty("--scrollbar", `${width_px}px`)
}

/** Closes the dialog around it without changes. */
export const DismissButton = (props: ButtonProps) => <Button {...props} onClick={use(CloseContext)} />

/** The row of buttons at the end of a dialog, the primary one last. */
export const DialogFooter = ({ className = "mt-5", ...props }: React.ComponentProps<"div">) => (
  <div className={clsx("flex flex-col-reverse gap-2 sm:flex-row sm:justify-end", className)} {...props} />
)
