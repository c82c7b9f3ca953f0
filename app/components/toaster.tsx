import { useParams, useRouter } from "next/navigation.js"
import { useEffect } from "react"
import { Toaster as Stack, toast } from "sonner"
import { toasts } from "./toast.ts"

export default function Toaster() {
  const waiting = toasts.use()
  const router = useRouter()
  const { workspace } = useParams<{ workspace?: string }>()
  // The stack subscribes in its own effect, which runs before this one.
  useEffect(() => {
    if (waiting?.length) showAll((approvalId) => router.push(`/${workspace}/approvals/${approvalId}`))
  }, [waiting, router, workspace])
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
function showAll(openApproval: (id: string) => void): void {
  for (const { text, detail, isProblem, approvalId } of toasts.read() ?? []) {
    const options = detail === null ? {} : { description: detail }
    if (approvalId !== undefined)
      toast.info(text, { action: { label: "Open", onClick: () => openApproval(approvalId) } })
    else if (isProblem) toast.error(text, options)
    else toast.success(text, options)
  }
  toasts.set([])
}
