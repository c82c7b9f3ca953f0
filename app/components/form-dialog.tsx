import type { ComponentProps, ReactNode } from "react"
import { Form, Submit, TextField } from "./form.tsx"
import type { ButtonProps } from "./ui/button.tsx"
import { Dialog, DialogFooter, type DialogProps, DismissButton } from "./ui/dialog.tsx"

type FormDialogProps = Omit<DialogProps, "children" | "insists"> & {
  submit: string
  variant?: ButtonProps["variant"]
  /** The label of the other button, if "Cancel" could be mistaken for the action itself. */
  dismiss?: string
  /** Whether the form is long: see `DialogSubmit`. */
  isPinned?: boolean
  check?: ComponentProps<typeof Form>["check"]
  /** Its errors are shown in the form. The dialog closes when it is done. */
  onSubmit: (values: FormData) => unknown
  children?: ReactNode
}

export const FormDialog = ({
  submit,
  variant,
  dismiss,
  isPinned = false,
  check,
  onSubmit,
  children,
  ...dialog
}: FormDialogProps) => (
  <Dialog {...dialog}>
    {(close) => (
      <Form
        {...(check && { check })}
        onSubmit={async (values) => {
          await onSubmit(values)
          close()
        }}
      >
        {children}
        <DialogSubmit {...(variant && { variant })} {...(dismiss && { dismiss })} isPinned={isPinned}>
          {submit}
        </DialogSubmit>
      </Form>
    )}
  </Dialog>
)

type DialogSubmitProps = ButtonProps & {
  dismiss?: string
  /** In a long form: the buttons stay in view at the dialog's lower edge. */
  isPinned?: boolean
}

/** The buttons of a form in a dialog: one sends the form, `dismiss` closes it without changes. */
export const DialogSubmit = ({ dismiss = "Cancel", isPinned = false, ...props }: DialogSubmitProps) => (
  <DialogFooter {...(isPinned && pinned)}>
    <DismissButton>{dismiss}</DismissButton>
    <Submit {...props} />
  </DialogFooter>
)

const pinned = {
  "data-pinned": "",
  className: "sticky -bottom-5 -mx-5 -mb-5 border-t border-line bg-surface px-5 py-3",
}

/** The button of a long form in a sheet. It stays in view at the sheet's lower edge. */
export const PinnedSubmit = (props: ButtonProps) => (
  <div {...pinned}>
    <Submit {...props} className="w-full" />
  </div>
)

type ConfirmProps = Omit<FormDialogProps, "submit" | "onSubmit" | "check" | "variant" | "kind"> & {
  /** The button's label: a verb. */
  confirm: string
  /** Text that the reader must type first, if a mistake would be costly. */
  word?: string
  danger?: boolean
  /** Receives the values of the fields in `children`. */
  onConfirm: (values: FormData) => unknown
}

/** Asks for confirmation before an action that cannot be undone. */
export const Confirm = ({ confirm, word, danger = true, onConfirm, children, ...dialog }: ConfirmProps) => (
  <FormDialog
    {...dialog}
    kind="question"
    submit={confirm}
    variant={danger ? "danger" : "primary"}
    check={(values) =>
      word !== undefined && values.get("confirmation") !== word ? { confirmation: `Type ${word} to continue.` } : {}
    }
    onSubmit={onConfirm}
  >
    {children}
    {word !== undefined && (
      <TextField
        name="confirmation"
        label={
          <>
            Type <code className="font-mono">{word}</code> to confirm
          </>
        }
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
    )}
  </FormDialog>
)
