"use client"

import type { MouseEvent } from "react"
import { useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { startExport } from "./exports.ts"

/** Downloads all rows of a list that match what it is filtered by. */
export function ExportCsv({ list, asked }: { list: string; asked: Record<string, string> }) {
  const { id: workspace } = useWorkspace()
  const url = `/api/export/${list}.csv?${new URLSearchParams({ workspace, ...asked })}`
  function start(event: MouseEvent) {
    // In a tab of its own the browser downloads it by itself.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    void startExport(list, url)
  }
  return (
    <Button asChild>
      <a href={url} download onClick={start}>
        Export CSV
      </a>
    </Button>
  )
}
