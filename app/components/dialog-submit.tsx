import { Submit } from "./form.tsx"
import { Button, type ButtonProps } from "./ui/button.tsx"
import { DialogClose, DialogFooter } from "./ui/dialog.tsx"

/** The buttons of a form in a dialog: one sends the form, `dismiss` closes it without changes. */
export function DialogSubmit({ dismiss = "Cancel", ...props }: ButtonProps & { dismiss?: string }) {
  return (
    <DialogFooter>
      <DialogClose>
        <Button>{dismiss}</Button>
      </DialogClose>
      <Submit {...props} />
    </DialogFooter>
  )
}
