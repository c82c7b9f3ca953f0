type Repair = [selector: string, repair: (element: HTMLElement) => void]

/** Attributes that Scalar's markup has where ARIA does not allow them, or lacks where they are needed. */
const repairs: Repair[] = [
  [
    "button[aria-selected]:not([role])",
    (button) => {
      if (button.getAttribute("aria-selected") === "true") button.setAttribute("aria-current", "true")
      else button.removeAttribute("aria-current")
      button.removeAttribute("aria-selected")
    },
  ],
  ["aside[role=navigation], button[role=none]", (element) => element.removeAttribute("role")],
  [
    "button[role=search]",
    (button) => {
      button.removeAttribute("role")
      button.setAttribute("aria-label", "Search")
    },
  ],
  ["button.code-copy:not([aria-label]), button.scalar-code-copy:not([aria-label])", name("Copy")],
  [
    "button[class*=copy-button][aria-controls]",
    (button) => {
      if (!document.getElementById(button.getAttribute("aria-controls")!))
        button.removeAttribute("aria-controls")
    },
  ],
  // The editors and boxes of a request's parameters: what they are is said by their place in the table alone.
  ["tr .cm-content:not([aria-label])", nameByPlace],
  ["[role=dialog] .cm-content:not([aria-label]):not(tr *)", name("Request")],
  // An answer that is wider than a phone is scrolled by keyboard too.
  [
    ".cm-scroller[tabindex='-1']:not(:has([contenteditable=true]))",
    (box) => {
      box.tabIndex = 0
    },
  ],
  ["tr input[type=checkbox]:not([aria-label])", name("Send this parameter")],
  ["[role=dialog] section[aria-label^=Notifications]", name("Notifications of the request")],
  // While a request is being tried, nothing else can be reached: a second main part would be, and be one too many.
  ["main.references-rendered", (main) => main.toggleAttribute("inert", isTrying())],
]

function name(label: string) {
  return (element: HTMLElement) => {
    if (element.getAttribute("aria-label") !== label) element.setAttribute("aria-label", label)
  }
}

function nameByPlace(editor: HTMLElement): void {
  const editors = [...editor.closest("tr")!.querySelectorAll(".cm-content")]
  name(editors.indexOf(editor) === 0 ? "Name" : "Value")(editor)
}

const isTrying = () =>
  [...document.querySelectorAll<HTMLElement>("[role=dialog] main")].some((main) => main.checkVisibility())

/** Keeps Scalar's controls as screen readers need them, while it renders. Returns what stops it. */
export function repairAccess(): () => void {
  const repair = () => {
    for (const [selector, change] of repairs) {
      for (const element of document.querySelectorAll<HTMLElement>(selector)) change(element)
    }
  }
  // Once for all that is rendered in a frame.
  let frame = 0
  const observer = new MutationObserver(() => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(repair)
  })
  observer.observe(document.body, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ["aria-selected", "role", "style", "class"],
  })
  return () => {
    cancelAnimationFrame(frame)
    observer.disconnect()
  }
}
