"use client"

import { useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Button } from "#app/components/ui/button.tsx"

/** Downloads all rows of a list that match what it is filtered by. */
export function ExportCsv({ list, asked }: { list: string; asked: Record<string, string> }) {
  const { id: workspace } = useWorkspace()
  return (
    <Button asChild>
      <a href={`/api/export/${list}.csv?${new URLSearchParams({ workspace, ...asked })}`} download>
        Export CSV
      </a>
    </Button>
  )
}
