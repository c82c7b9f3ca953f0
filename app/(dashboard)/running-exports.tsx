import { useEffect, useState } from "react"
import { Progress } from "#app/components/meter.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { countOf, shortCount } from "#shared/counts.ts"
import type { Export } from "./exports.tsx"

/** The progress of downloads, shown on every page, with a button to stop each. */
export default function RunningExports({ exports }: { exports: readonly Export[] }) {
  return (
    <section
      aria-label="Exports"
      className="fixed bottom-3 left-3 z-40 w-72 max-w-[calc(100vw-1.5rem)] space-y-2 empty:hidden"
    >
      {exports.map((one) => (
        <RunningExport key={one.id} {...one} />
      ))}
    </section>
  )
}

/** Most downloads end before anyone could read about them. */
const SHOWN_AFTER_MS = 400

function RunningExport({ list, rows, total, stop }: Export) {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), SHOWN_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  if (!isShown) return null
  return (
    <div className="rounded-xl border border-line bg-surface px-4 py-3 text-sm shadow-card">
      <div className="flex items-center justify-between gap-3">
        <div className="min-w-0">
          <p role="status" className="font-medium">
            Exporting {list}
          </p>
          <p className="text-[13px] text-muted tabular-nums">
            {/* More rows may exist now than were counted. */}
            {total === null || rows > total
              ? `${countOf(rows, "row")} so far`
              : `${countOf(rows, "row")} of ${shortCount({ count: total, atLeast: false })}`}
          </p>
        </div>
        <Button size="sm" onClick={stop}>
          Stop
          <span className="sr-only"> exporting {list}</span>
        </Button>
      </div>
      <Progress
        className="mt-2"
        label={`Export of ${list}`}
        value={total === null || total === 0 ? null : Math.min(1, rows / total)}
      />
    </div>
  )
}
