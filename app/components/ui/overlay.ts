/** A dialog in the middle of the window. */
export const dialogLook =
  "m-auto max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] max-w-lg overflow-y-auto rounded-xl border border-line bg-surface p-5 text-left text-sm leading-normal font-normal whitespace-normal text-ink shadow-card outline-none backdrop:bg-overlay motion-safe:animate-in motion-safe:fade-in-0 motion-safe:zoom-in-98"

/** What opens beside the thing that opened it: menus, popovers. */
export const floatingLook =
  "rounded-lg border border-line bg-surface text-left text-sm leading-normal font-normal whitespace-normal text-ink shadow-card outline-none"
