import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts"
import type { RouterOutputs } from "#app/(dashboard)/workspace.tsx"
import { statusWord } from "#app/components/badge.tsx"
import type { ShownStatus } from "#shared/statuses.ts"

type Overview = RouterOutputs["overview"]["get"]

type Day = Overview["figures"]["days"][number]

/** Bottom to top. Each has its own pattern, for people who cannot distinguish the colors. */
const patterns = {
  verified: null,
  pending: "M0 6 6 0M-1 1 1 -1M5 7 7 5",
  rejected: "M0 0 6 6M0 6 6 0",
  revoked: "M3 0V6",
  expired: "M0 1.5H6M0 4.5H6",
} as const satisfies Record<ShownStatus, string | null>
const outcomes = (Object.keys(patterns) as ShownStatus[]).map((key) => ({
  key,
  name: statusWord(key),
  pattern: patterns[key],
}))

const HEIGHT = 240
const date = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" })
const shown = (day: string) => date.format(new Date(day))

/** Attestations of each day, stacked by outcome. Screen readers get the same numbers in a table. */
export default function Chart({ days }: { days: readonly Day[] }) {
  return (
    <>
      <div aria-hidden="true">
        <ul className="mb-3 flex flex-wrap gap-x-4 gap-y-1 text-[13px] text-muted">
          {outcomes.map(({ key, name }) => (
            <li key={key} className="flex items-center gap-1.5">
              <svg viewBox="0 0 12 12" className="size-3 rounded-xs" aria-hidden="true">
                <rect width="12" height="12" fill={`url(#${patternOf(key)})`} />
              </svg>
              {name}
            </li>
          ))}
        </ul>
        <ResponsiveContainer
          width="100%"
          height={HEIGHT}
          initialDimension={{ width: 600, height: HEIGHT }}
          className="[&_svg]:outline-none"
        >
          <BarChart data={days as Day[]} accessibilityLayer={false} margin={{ top: 4, right: 0, bottom: 0, left: 0 }}>
            <Patterns />
            <CartesianGrid vertical={false} stroke="var(--line)" />
            <XAxis
              dataKey="day"
              tickFormatter={shown}
              tickLine={false}
              axisLine={{ stroke: "var(--line)" }}
              tick={{ fill: "var(--muted)", fontSize: 12 }}
              interval="equidistantPreserveStart"
              minTickGap={32}
            />
            <YAxis
              allowDecimals={false}
              tickLine={false}
              axisLine={false}
              width={36}
              tick={{ fill: "var(--muted)", fontSize: 12 }}
            />
            <Tooltip
              isAnimationActive={false}
              cursor={{ fill: "var(--sunken)" }}
              content={({ active, payload }) => {
                const day = payload?.[0]?.payload as Day | undefined
                return active && day ? <Numbers day={day} /> : null
              }}
            />
            {outcomes.map(({ key, name }) => (
              <Bar
                key={key}
                dataKey={key}
                name={name}
                stackId="day"
                fill={`url(#${patternOf(key)})`}
                isAnimationActive={false}
                maxBarSize={24}
              />
            ))}
          </BarChart>
        </ResponsiveContainer>
      </div>
      {/* A table does not shrink to one pixel: without this frame it would lengthen the page. */}
      <div className="sr-only">
        <table>
          <caption>Attestations per day by status</caption>
          <thead>
            <tr>
              <th scope="col">Day (UTC)</th>
              {outcomes.map(({ key, name }) => (
                <th key={key} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map((day) => (
              <tr key={day.day}>
                <th scope="row">{shown(day.day)}</th>
                {outcomes.map(({ key }) => (
                  <td key={key}>{day[key]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

const patternOf = (outcome: string) => `outcome-${outcome}`

const Patterns = () => (
  <defs>
    {outcomes.map(({ key, pattern }) => (
      <pattern key={key} id={patternOf(key)} width="6" height="6" patternUnits="userSpaceOnUse">
        <rect width="6" height="6" fill={`var(--chart-${key})`} fillOpacity={pattern ? 0.45 : 1} />
        {pattern && <path d={pattern} stroke={`var(--chart-${key})`} strokeWidth="1.5" />}
      </pattern>
    ))}
  </defs>
)

const Numbers = ({ day }: { day: Day }) => (
  <div className="rounded-lg border border-line bg-surface px-3 py-2 text-[13px] shadow-card">
    <p className="mb-1 font-medium">{shown(day.day)}</p>
    {outcomes.map(({ key, name }) => (
      <p key={key} className="flex justify-between gap-6">
        <span className="text-muted">{name}</span>
        {day[key]}
      </p>
    ))}
  </div>
)
