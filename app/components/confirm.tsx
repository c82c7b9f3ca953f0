"use client"

import { type ReactElement, type ReactNode, useState } from "react"
import { AlertDialogContent, Dialog, DialogTrigger } from "#app/components/ui/dialog.tsx"
import { DialogSubmit } from "./dialog-submit.tsx"
import { Field, Form } from "./form.tsx"
import { Input } from "./ui/input.tsx"

/**
 * Asks for confirmation before an action that cannot be undone. Closes when `onConfirm` is done, and shows its errors.
 * Opened by its trigger, or from outside by `open` and `onOpenChange`.
 */
export function Confirm({
  trigger,
  open,
  onOpenChange,
  title,
  description,
  confirm,
  dismiss,
  word,
  danger = true,
  onConfirm,
  children,
}: {
  /** The button that opens it. */
  trigger?: ReactElement
  open?: boolean
  onOpenChange?: (open: boolean) => void
  title: ReactNode
  description: ReactNode
  /** The button's label: a verb. */
  confirm: string
  /** The label of the other button, if "Cancel" could be mistaken for the action itself. */
  dismiss?: string
  /** Text that the reader must type first, if a mistake would be costly. */
  word?: string
  danger?: boolean
  /** Receives the values of the fields in `children`. */
  onConfirm: (values: FormData) => unknown
  children?: ReactNode
}) {
  const [isOpenInside, setOpenInside] = useState(false)
  const isOpen = open ?? isOpenInside
  const setOpen = (next: boolean) => {
    setOpenInside(next)
    onOpenChange?.(next)
  }
  return (
    <Dialog open={isOpen} onOpenChange={setOpen}>
      {trigger && <DialogTrigger>{trigger}</DialogTrigger>}
      <AlertDialogContent title={title} description={description}>
        <Form
          className="mt-4"
          check={(values) =>
            word !== undefined && values.get("confirmation") !== word
              ? { confirmation: `Type ${word} to continue.` }
              : {}
          }
          onSubmit={async (values) => {
            await onConfirm(values)
            setOpen(false)
          }}
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
          <DialogSubmit variant={danger ? "danger" : "primary"} {...(dismiss && { dismiss })}>
            {confirm}
          </DialogSubmit>
        </Form>
      </AlertDialogContent>
    </Dialog>
  )
}
