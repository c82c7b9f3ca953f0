"use client"

import { lazy, Suspense } from "react"
import { CodeBlock } from "#app/components/code-block.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Dialog, DialogClose, DialogContent, DialogFooter } from "#app/components/ui/dialog.tsx"
import { Skeleton } from "#app/components/ui/skeleton.tsx"

const QrCode = lazy(() => import("#app/components/qr-code.tsx"))

export type Link = { url: string; wallet: string }

/** A session's link, to be sent or scanned. */
export function SessionLink({ link: { url, wallet }, onClose }: { link: Link; onClose: () => void }) {
  return (
    <Dialog open onOpenChange={(open) => open || onClose()}>
      <DialogContent
        title="Send this link to the wallet's holder"
        description={
          <>
            It verifies <code className="font-mono text-[13px] break-all">{wallet}</code>. Anyone with the
            link can fill in the form.
          </>
        }
      >
        <div className="space-y-4">
          <CodeBlock label="Session link" code={url} />
          <div className="flex justify-center">
            <Suspense fallback={<Skeleton className="size-48" />}>
              <QrCode text={url} label="QR code for the session link" />
            </Suspense>
          </div>
        </div>
        <DialogFooter>
          <Button asChild>
            <a href={url} target="_blank" rel="noopener noreferrer">
              Open
              <span className="sr-only"> the session's page in a new tab</span>
            </a>
          </Button>
          <DialogClose>
            <Button variant="primary">Done</Button>
          </DialogClose>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}
