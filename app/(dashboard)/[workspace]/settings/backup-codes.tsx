"use client"

import { Download } from "lucide-react"
import { useCopy } from "#app/components/copyable.tsx"
import { Icon } from "#app/components/icons.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { DialogFooter } from "#app/components/ui/dialog.tsx"

/** Codes that each work once in the authenticator's place, shown this once. */
export function BackupCodes({ codes, onKept }: { codes: readonly string[]; onKept: () => void }) {
  const { outcome, copy } = useCopy(codes.join("\n"))
  return (
    <div className="space-y-4">
      <p>
        Each code works once in place of the app. They are shown only now: store them where you can find them
        without your phone.
      </p>
      <ul
        aria-label="Backup codes"
        className="grid grid-cols-2 gap-x-6 gap-y-1 rounded-lg border border-line bg-sunken p-3 font-mono text-[13px] select-all"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <Button size="sm" onClick={copy}>
          <Icon name={outcome === "copied" ? "check" : "copy"} />
          {outcome === "copied" ? "Copied" : "Copy codes"}
        </Button>
        <Button size="sm" onClick={() => download(codes)}>
          <Download aria-hidden="true" />
          Download
        </Button>
        <span role="status" className="sr-only">
          {outcome === "copied" ? "Copied" : outcome === "refused" ? "Select the codes to copy them" : ""}
        </span>
      </div>
      <DialogFooter>
        <Button variant="primary" onClick={onKept}>
          I have stored these codes
        </Button>
      </DialogFooter>
    </div>
  )
}

function download(codes: readonly string[]): void {
  const text = `Backup codes for Vouch. Each works once.\n\n${codes.join("\n")}\n`
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }))
  const link = document.createElement("a")
  link.href = url
  link.download = "vouch-backup-codes.txt"
  link.click()
  URL.revokeObjectURL(url)
}
