/** What lies between a dialog and the page behind it. */
export const overlayLook =
  "fixed inset-0 z-40 bg-overlay motion-safe:data-[state=open]:animate-in motion-safe:data-[state=open]:fade-in-0 motion-safe:data-[state=closed]:animate-out motion-safe:data-[state=closed]:fade-out-0"

export const dialogLook =
  "fixed top-1/2 left-1/2 z-50 max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] max-w-lg -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-xl border border-line bg-surface p-5 text-sm leading-normal shadow-card outline-none motion-safe:data-[state=open]:animate-in motion-safe:data-[state=open]:fade-in-0 motion-safe:data-[state=open]:zoom-in-98"

/** What opens beside the thing that opened it: menus, popovers. */
export const floatingLook =
  "z-50 rounded-lg border border-line bg-surface text-sm leading-normal shadow-card outline-none motion-safe:data-[state=open]:animate-in motion-safe:data-[state=open]:fade-in-0"
