"use client"

import { useEffect } from "react"

/** Adds a copy button to each code block of the page. Pages without scripts have none, because it would do nothing. */
export function CopyButtons() {
  useEffect(() => {
    const said = document.createElement("p")
    said.className = "sr-only"
    said.setAttribute("role", "status")
    document.body.append(said)
    const buttons = [...document.querySelectorAll<HTMLElement>("main .code")].map((block) => {
      const button = document.createElement("button")
      button.type = "button"
      button.textContent = "Copy"
      button.setAttribute("aria-label", "Copy the code")
      button.addEventListener("click", () => copy(block, button, said))
      block.querySelector(".head")!.append(button)
      return button
    })
    return () => {
      for (const element of [said, ...buttons]) element.remove()
    }
  }, [])
  return null
}

async function copy(block: HTMLElement, button: HTMLElement, said: HTMLElement): Promise<void> {
  const code = block.querySelector("code")!
  try {
    await navigator.clipboard.writeText(code.textContent.trimEnd())
    say("Copied")
  } catch {
    // Some browsers have no clipboard. The code is then selected, ready to copy by keyboard.
    getSelection()?.selectAllChildren(code)
    say("Selected")
  }
  function say(word: string) {
    button.textContent = word
    said.textContent = word
    setTimeout(() => {
      button.textContent = "Copy"
      said.textContent = ""
    }, 2000)
  }
}
