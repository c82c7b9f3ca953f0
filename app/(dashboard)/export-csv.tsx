import type { MouseEvent } from "react"
import { useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { buttonLook } from "#app/components/ui/button.tsx"
import { startExport } from "./exports.ts"

/** Downloads all rows of a list that match its filters. */
export function ExportCsv({ list, asked }: { list: string; asked: Record<string, string> }) {
  const { id: workspace } = useWorkspace()
  const url = `/api/export/${list}.csv?${new URLSearchParams({ workspace, ...asked })}`
  function start(event: MouseEvent) {
    // Opened in its own tab, the browser downloads it.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    void startExport(list, url)
  }
  return (
    <a href={url} download onClick={start} className={buttonLook()}>
      Export CSV
    </a>
  )
}
