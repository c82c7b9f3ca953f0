const shape =
  "inline-flex min-h-12 cursor-pointer items-center justify-center gap-2 rounded-lg px-5 font-medium motion-safe:transition-colors"

/** Classes, because links and buttons both wear them. */
export const primaryButton = `${shape} bg-accent text-accent-ink hover:bg-accent-strong`
export const quietButton = `${shape} border border-field text-ink hover:bg-sunken`
