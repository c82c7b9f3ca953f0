import { type ComponentProps, type ReactElement, type ReactNode, useState } from "react"
import { DialogSubmit } from "./dialog-submit.tsx"
import { Form } from "./form.tsx"
import type { ButtonProps } from "./ui/button.tsx"
import { AlertDialogContent, Dialog, DialogContent, DialogTrigger } from "./ui/dialog.tsx"

export type FormDialogProps = {
  /** The button that opens it. Without one it is open until `onClose`. */
  trigger?: ReactElement
  onClose?: () => void
  title: ReactNode
  description?: ReactNode
  /** The label of the button that sends the form. */
  submit: ReactNode
  variant?: ButtonProps["variant"]
  /** The label of the other button, if "Cancel" could be mistaken for the action itself. */
  dismiss?: string
  isNarrow?: boolean
  /** Whether it asks a question, which a click outside does not answer. */
  isQuestion?: boolean
  check?: ComponentProps<typeof Form>["check"]
  /** Its errors are shown in the form. The dialog closes when it is done. */
  onSubmit: (values: FormData) => unknown
  children?: ReactNode
}

/** A form in a dialog. */
export function FormDialog({
  trigger,
  onClose,
  title,
  description,
  submit,
  variant = "primary",
  dismiss,
  isNarrow = false,
  isQuestion = false,
  check,
  onSubmit,
  children,
}: FormDialogProps) {
  const [isOpen, setOpen] = useState(trigger === undefined)
  function change(open: boolean) {
    setOpen(open)
    if (!open) onClose?.()
  }
  const form = (
    <Form
      {...(isQuestion && { className: "mt-4" })}
      {...(check && { check })}
      onSubmit={async (values) => {
        await onSubmit(values)
        change(false)
      }}
    >
      {children}
      <DialogSubmit variant={variant} {...(dismiss && { dismiss })}>
        {submit}
      </DialogSubmit>
    </Form>
  )
  return (
    <Dialog open={isOpen} onOpenChange={change}>
      {trigger && <DialogTrigger>{trigger}</DialogTrigger>}
      {isQuestion ? (
        <AlertDialogContent title={title} description={description}>
          {form}
        </AlertDialogContent>
      ) : (
        <DialogContent title={title} description={description} {...(isNarrow && { className: "max-w-md!" })}>
          {form}
        </DialogContent>
      )}
    </Dialog>
  )
}
