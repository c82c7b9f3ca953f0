import { parseAsString } from "nuqs"
import { useState } from "react"
import { endOfDay, endOfLastMonth, endOfLastQuarter, instantIn, localIn } from "#app/components/local-time.ts"
import { Button } from "#app/components/ui/button.tsx"
import { useTimeZone } from "#app/components/zone.ts"
import { toTimestamp } from "#shared/timestamp.ts"
import { type FieldProps, type Filter, narrow } from "./filters.tsx"
import { Day, PopoverField, Preset, shortDay } from "./popover-field.tsx"

const DAY = /^\d{4}-\d{2}-\d{2}$/

/**
 * A moment in the zone of the page: a day, which means its end, or a time to the second, `YYYY-MM-DDThh:mm:ss`. Unset means
 * now, and so does a moment that has not come.
 */
export const moment = (label: string): Filter => ({
  parser: parseAsString,
  Field: ({ value, onChange }) => <MomentField label={label} value={value} onChange={onChange} />,
  asks: (value, zone) => {
    const instant = pastInstant(value, zone)
    return instant === null ? undefined : toTimestamp(instant)
  },
})

/** Null if the text is not a moment, or one that has not come. */
function pastInstant(value: string, zone: string): Date | null {
  const instant = DAY.test(value) ? endOfDay(value, zone) : instantIn(zone, value)
  return instant !== null && instant.getTime() <= Date.now() ? instant : null
}

/** The moment that the list shows, in words. */
export function momentWords(value: string | null, zone: string): string {
  if (value === null || pastInstant(value, zone) === null) return "Now"
  const [day, time] = value.split("T") as [string, string?]
  return time === undefined ? `End of ${shortDay(day)}` : `${shortDay(day)}, ${time}`
}

type MomentFieldProps = Omit<FieldProps<string>, "filtered"> & { label: string }

function MomentField({ label, value, onChange }: MomentFieldProps) {
  const [asksTime, setAsksTime] = useState(false)
  const zone = useTimeZone()
  const today = localIn(zone, new Date().toISOString()).slice(0, 10)
  const presets: [string, string | null][] = [
    ["Now", null],
    ["End of last month", endOfLastMonth(today)],
    ["End of last quarter", endOfLastQuarter(today)],
  ]
  const [day, time] = value?.split("T") ?? []
  return (
    <PopoverField label={label} value={momentWords(value, zone)} className={narrow}>
      {(close) => (
        <>
          <div className="grid gap-2">
            {presets.map(([name, preset]) => (
              <Preset
                key={name}
                isChosen={value === preset}
                onChoose={() => {
                  onChange(preset)
                  close()
                }}
              >
                {name}
              </Preset>
            ))}
          </div>
          <div className="mt-3 space-y-2 border-t border-line pt-3">
            <Day
              label="Day"
              max={today}
              value={day ?? null}
              onChange={(day) => onChange(day === null ? null : time === undefined ? day : `${day}T${time}`)}
            />
            {asksTime || time !== undefined ? (
              <Day
                label="Time"
                type="time"
                value={time ?? null}
                // Browsers leave out seconds that are zero.
                onChange={(time) =>
                  onChange(time === null ? (day ?? null) : `${day ?? today}T${time.length === 5 ? `${time}:00` : time}`)
                }
              />
            ) : (
              <Button variant="link" className="text-[13px]!" onClick={() => setAsksTime(true)}>
                Choose a time
              </Button>
            )}
            <p className="text-xs text-muted">Without a time, the end of the day counts.</p>
          </div>
        </>
      )}
    </PopoverField>
  )
}
