import { Field } from "./form.tsx"
import { FormDialog, type FormDialogProps } from "./form-dialog.tsx"
import { Input } from "./ui/input.tsx"

/** Asks for confirmation before an action that cannot be undone. */
export function Confirm({
  confirm,
  word,
  danger = true,
  onConfirm,
  children,
  ...dialog
}: Omit<FormDialogProps, "submit" | "onSubmit" | "check" | "variant" | "isNarrow" | "isQuestion"> & {
  /** The button's label: a verb. */
  confirm: string
  /** Text that the reader must type first, if a mistake would be costly. */
  word?: string
  danger?: boolean
  /** Receives the values of the fields in `children`. */
  onConfirm: (values: FormData) => unknown
}) {
  return (
    <FormDialog
      {...dialog}
      isQuestion
      submit={confirm}
      variant={danger ? "danger" : "primary"}
      check={(values) =>
        word !== undefined && values.get("confirmation") !== word ? { confirmation: `Type ${word} to continue.` } : {}
      }
      onSubmit={onConfirm}
    >
      {children}
      {word !== undefined && (
        <Field
          name="confirmation"
          label={
            <>
              Type <code className="font-mono">{word}</code> to confirm
            </>
          }
        >
          <Input autoComplete="off" autoCapitalize="none" spellCheck={false} />
        </Field>
      )}
    </FormDialog>
  )
}
