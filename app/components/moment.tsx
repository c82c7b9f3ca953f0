const local = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZoneName: "short",
})

/** A time in the reader's own zone; the same in UTC on hover. Only for what a browser renders: a server has another zone. */
export function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at.replace("T", " ").replace("Z", " UTC")}>
      {local.format(new Date(at))}
    </time>
  )
}
