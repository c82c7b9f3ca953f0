/** Attributes that Scalar's markup has and ARIA does not allow there, or lacks and needs: selector → what to do. */
const repairs: [selector: string, repair: (element: HTMLElement) => void][] = [
  [
    "button[aria-selected]:not([role])",
    (button) => {
      if (button.getAttribute("aria-selected") === "true") button.setAttribute("aria-current", "true")
      else button.removeAttribute("aria-current")
      button.removeAttribute("aria-selected")
    },
  ],
  ["aside[role=navigation]", (aside) => aside.removeAttribute("role")],
  [
    "button[role=search]",
    (button) => {
      button.removeAttribute("role")
      button.setAttribute("aria-label", "Search")
    },
  ],
  ["button.code-copy:not([aria-label]), button.scalar-code-copy:not([aria-label])", name("Copy")],
]

function name(label: string) {
  return (element: HTMLElement) => element.setAttribute("aria-label", label)
}

/** Keeps Scalar's controls as screen readers need them, while it renders. Returns what stops it. */
export function repairAccess(): () => void {
  const repair = () => {
    for (const [selector, change] of repairs) {
      for (const element of document.querySelectorAll<HTMLElement>(selector)) change(element)
    }
  }
  const observer = new MutationObserver(repair)
  observer.observe(document.body, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ["aria-selected", "role"],
  })
  return () => observer.disconnect()
}
