import { useEffect } from "react"
import { Toaster as Stack, toast } from "sonner"
import { subscribe, takeToasts } from "./toast.ts"

export default function Toaster() {
  // The stack subscribes in its own effect, which runs before this one.
  useEffect(() => {
    const show = () => {
      for (const { text, detail, isProblem } of takeToasts()) {
        const options = detail === null ? {} : { description: detail }
        if (isProblem) toast.error(text, options)
        else toast.success(text, options)
      }
    }
    show()
    return subscribe(show)
  }, [])
  return (
    <Stack
      theme="system"
      position="bottom-right"
      closeButton
      toastOptions={{
        className: "font-sans! bg-surface! text-ink! border-line! shadow-card!",
        descriptionClassName: "text-muted! font-mono text-xs",
      }}
    />
  )
}
