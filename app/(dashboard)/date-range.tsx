import { parseAsString } from "nuqs"
import { daysBefore, isInstant, localIn, timesOf } from "#app/components/local-time.ts"
import { useTimeZone } from "#app/components/zone.ts"
import { type FieldProps, type Filter, narrow } from "./filters.tsx"
import { Day, PopoverField, Preset, shortDay } from "./popover-field.tsx"

const HOUR_MS = 3_600_000
/** Hours before now, such as `24h`. */
const HOURS_BACK = /^(\d{1,4})h$/

/**
 * Filters by the first and the last day, `YYYY-MM-DD` in the zone of the page, with one control for both. The address may
 * also begin some hours before now, or name the instants between which an hour lies.
 */
export const dateRange = (label: string): { from: Filter; to: Filter } => ({
  from: {
    parser: parseAsString,
    Field: ({ filtered }) => <DateRangeField label={label} filtered={filtered} />,
    asks: (value, zone) => {
      const hours = HOURS_BACK.exec(value)?.[1]
      return hours === undefined
        ? timesOf({ from: value, to: null }, zone).from
        : new Date(Date.now() - Number(hours) * HOUR_MS).toISOString()
    },
  },
  to: {
    parser: parseAsString,
    // The field of `from` has both.
    Field: () => null,
    asks: (value, zone) => timesOf({ from: null, to: value }, zone).to,
  },
})

/** Ranges that end now, by how many hours or days they begin before. */
const presets = [
  ["Last hour", "1h"],
  ["Last 24 hours", "24h"],
  ["Today", 0],
  ["Last 7 days", 6],
  ["Last 30 days", 29],
] as const

type Range = { from: string | null; to: string | null }

function DateRangeField({
  label,
  filtered: { current, change },
}: Pick<FieldProps<string>, "filtered"> & { label: string }) {
  const { from = null, to = null }: Partial<Range> = current
  const zone = useTimeZone()
  const today = localIn(zone, new Date().toISOString()).slice(0, 10)
  const choices: [string, Range][] = [
    ["Any time", { from: null, to: null }],
    ...presets.map(([name, back]): [string, Range] => [
      name,
      { from: typeof back === "string" ? back : daysBefore(today, back), to: null },
    ]),
  ]
  // The words of an hour are longer than those of days.
  const isHours = from !== null && isInstant(from)
  const isChosen = (range: Range) => range.from === from && range.to === to
  const chosen = choices.find(([, range]) => isChosen(range))?.[0]
  return (
    <PopoverField label={label} value={chosen ?? wordsOf({ from, to }, zone)} className={isHours ? "md:w-46" : narrow}>
      {(close) => (
        <>
          <div className="grid grid-cols-2 gap-2">
            {choices.map(([name, range]) => (
              <Preset
                key={name}
                isChosen={isChosen(range)}
                onChoose={() => {
                  change(range)
                  close()
                }}
              >
                {name}
              </Preset>
            ))}
          </div>
          <div className="mt-3 space-y-2 border-t border-line pt-3">
            <Day label="From" value={dayOf(from, zone)} onChange={(from) => change({ from })} />
            <Day
              label="To"
              value={dayOf(to, zone)}
              // A last day replaces hours before now.
              onChange={(to) => change({ to, ...(from !== null && HOURS_BACK.test(from) && { from: null }) })}
            />
          </div>
        </>
      )}
    </PopoverField>
  )
}

/** The day of an end that may be an instant, or some hours ago. */
const dayOf = (end: string | null, zone: string): string | null =>
  end === null || HOURS_BACK.test(end) ? null : isInstant(end) ? localIn(zone, end).slice(0, 10) : end

export function wordsOf({ from, to }: Range, zone: string): string {
  if (from !== null && to !== null && isInstant(from) && isInstant(to)) {
    const [first, last] = [localIn(zone, from), localIn(zone, to)]
    return `${shortDay(first.slice(0, 10))}, ${first.slice(11, 16)} – ${last.slice(11, 16)}`
  }
  if (from === null) return `Until ${endWords(to!, zone)}`
  if (to === null) return `Since ${endWords(from, zone)}`
  return from === to ? endWords(from, zone) : `${endWords(from, zone)} – ${endWords(to, zone)}`
}

function endWords(end: string, zone: string): string {
  const hours = HOURS_BACK.exec(end)?.[1]
  if (hours !== undefined) return `${hours} h ago`
  if (!isInstant(end) || Number.isNaN(Date.parse(end))) return shortDay(end)
  const local = localIn(zone, end)
  return `${shortDay(local.slice(0, 10))}, ${local.slice(11, 16)}`
}
