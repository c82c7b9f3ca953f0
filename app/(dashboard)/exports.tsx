import { Download } from "lucide-react"
import type { MouseEvent } from "react"
import { useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { createStore } from "#app/components/store.ts"
import { notify, notifyProblem } from "#app/components/toast.ts"
import { buttonLook } from "#app/components/ui/button.tsx"
import type { Progress } from "./save-export.ts"

// Files being downloaded. They belong to the dashboard, so that downloads continue when the reader opens another page.

export type Export = Progress & { id: number; list: string; stop: () => void }

export const runningExports = createStore<readonly Export[]>([])
const { read, set } = runningExports
let lastId = 0

const change = (id: number, to: Partial<Export>) => set(read().map((one) => (one.id === id ? { ...one, ...to } : one)))

/** Downloads a file and saves it when it is complete. A stopped or failed download saves nothing. */
async function startExport(list: string, url: string): Promise<void> {
  const id = ++lastId
  const stopped = new AbortController()
  set([...read(), { id, list, rows: 0, total: null, stop: () => stopped.abort() }])
  try {
    // Loaded on the first export: most pages never need it.
    const { saveExport } = await import("./save-export.ts")
    await saveExport(url, stopped.signal, (progress) => change(id, progress))
  } catch (error) {
    if (stopped.signal.aborted) notify("Export stopped. Nothing was saved.")
    else notifyProblem(error)
  } finally {
    set(read().filter((one) => one.id !== id))
  }
}

type ExportCsvProps = {
  list: string
  asked: Record<string, string>
  /** What it downloads, if that is not the list that it stands above. */
  label?: string
}

const urlOf = (list: string, workspace: string, asked: Record<string, string> = {}) =>
  `/api/export/${list}.csv?${new URLSearchParams({ workspace, ...asked })}`

/** Downloads all rows of a list of a workspace. */
export const exportAll = (list: string, workspace: string): void => void startExport(list, urlOf(list, workspace))

/** Downloads all rows of a list that match its filters. On a phone, without a label, it is only an icon. */
export function ExportCsv({ list, asked, label }: ExportCsvProps) {
  const { id: workspace } = useWorkspace()
  const url = urlOf(list, workspace, asked)
  function start(event: MouseEvent) {
    // Opened in its own tab, the browser downloads it.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    void startExport(list, url)
  }
  return (
    <a
      href={url}
      download
      onClick={start}
      className={buttonLook({ className: label === undefined ? "max-md:size-11! max-md:px-0!" : undefined })}
    >
      {label ?? (
        <>
          <Download aria-hidden="true" className="md:hidden" />
          <span className="max-md:sr-only">Export CSV</span>
        </>
      )}
    </a>
  )
}
