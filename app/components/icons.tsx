import { type IconName, iconPaths } from "#shared/icons.ts"

/** Drawn in the text's color and hidden from screen readers, because the text next to it says the same. */
export const Icon = ({ name, className = "size-5" }: { name: IconName; className?: string }) => (
  <svg
    viewBox="0 0 24 24"
    className={`shrink-0 fill-none stroke-current ${className}`}
    strokeWidth="1.8"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    <path d={iconPaths[name]} />
  </svg>
)

export const Spinner = ({ className = "size-5" }: { className?: string }) => (
  <svg
    viewBox="0 0 24 24"
    className={`shrink-0 motion-safe:animate-spin fill-none stroke-current ${className}`}
    strokeWidth="2.4"
    strokeLinecap="round"
    aria-hidden="true"
  >
    <circle cx="12" cy="12" r="9" className="opacity-20" />
    <path d="M21 12a9 9 0 0 0-9-9" />
  </svg>
)

export const Wordmark = () => (
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
