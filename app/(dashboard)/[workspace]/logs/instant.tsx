"use client"

const time = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
})

/** A time to the second in the reader's own zone; the same in UTC on hover. */
export function Instant({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at.replace("T", " ").replace("Z", " UTC")} className="whitespace-nowrap">
      {time.format(new Date(at))}
    </time>
  )
}
