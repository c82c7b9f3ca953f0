export function Wordmark() {
  return (
    <span className="flex items-center gap-2 font-semibold tracking-tight">
      <svg viewBox="0 0 24 24" className="size-6 fill-none" aria-hidden="true">
        <rect width="24" height="24" rx="6" className="fill-accent" />
        <path
          d="m6.5 8.5 4 8.5 7-11"
          className="stroke-accent-ink"
          strokeWidth="2.6"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      Vouch
    </span>
  )
}
