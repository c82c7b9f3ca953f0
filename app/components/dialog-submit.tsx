import { Submit } from "./form.tsx"
import { Button, type ButtonProps } from "./ui/button.tsx"
import { DialogClose, DialogFooter } from "./ui/dialog.tsx"

/** The foot of a form in a dialog: sends the form, or, by `dismiss`, leaves everything as it was. */
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
