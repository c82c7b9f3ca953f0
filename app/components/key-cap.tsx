/** A key to press. */
export const KeyCap = ({ children }: { children: string }) => (
  <kbd className="inline-block min-w-6 rounded border border-field bg-sunken px-1.5 text-center font-mono text-xs leading-5">
    {children}
  </kbd>
)
