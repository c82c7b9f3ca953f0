import { useEffect } from "react"
import { Toaster as Stack, toast } from "sonner"
import { toasts } from "./toast.ts"

export default function Toaster() {
  const waiting = toasts.use()
  // The stack subscribes in its own effect, which runs before this one.
  useEffect(() => {
    if (waiting?.length) showAll()
  }, [waiting])
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

/** Reads them again, because more may have come since they were rendered. */
function showAll(): void {
  for (const { text, detail, isProblem } of toasts.read() ?? []) {
    const options = detail === null ? {} : { description: detail }
    if (isProblem) toast.error(text, options)
    else toast.success(text, options)
  }
  toasts.set([])
}
