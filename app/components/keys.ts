/** ⌘K or Ctrl K. */
export const isSearchKey = ({ metaKey, ctrlKey, altKey, shiftKey, key }: KeyboardEvent): boolean =>
  (metaKey || ctrlKey) && !altKey && !shiftKey && key.toLowerCase() === "k"

/** Whether the key goes into a text field and is not a shortcut. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.closest("input, textarea, select, [role=menu], [role=listbox]") !== null)
