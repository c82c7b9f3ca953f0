import { Fragment, type ReactNode, useState } from "react"
import { Checkbox } from "#app/components/ui/checkbox.tsx"
import { Dialog } from "#app/components/ui/dialog.tsx"
import type { Permission } from "#shared/scopes.ts"
import { sections } from "./sections.ts"
import { goTo, readsSingleKeys, setSingleKeys } from "./single-keys.ts"
import { useWorkspace } from "./workspace.tsx"

/** The keyboard shortcuts, with the switch for those that are single letters. */
export function Shortcuts({ onClose }: { onClose: () => void }) {
  const { can } = useWorkspace()
  const [isOn, setOn] = useState(readsSingleKeys)
  const reachable = Object.entries(goTo).filter(([, section]) => {
    const { needs }: { name: string; needs?: Permission } = sections[section]
    return needs === undefined || can(needs)
  })
  return (
    <Dialog onClose={onClose} title="Keyboard shortcuts">
      <dl className="grid grid-cols-[minmax(0,1fr)_max-content] items-center gap-x-6 gap-y-2">
        <Line name="Search everything">
          <Key>⌘</Key> <Key>K</Key> <span className="text-muted">or</span> <Key>Ctrl</Key> <Key>K</Key>
        </Line>
        <Line name="Close the open dialog or menu">
          <Key>Esc</Key>
        </Line>
        <Line name="Go to the page’s search" off={!isOn}>
          <Key>/</Key>
        </Line>
        <Line name="Show the shortcuts" off={!isOn}>
          <Key>?</Key>
        </Line>
        {reachable.map(([key, section]) => (
          <Line key={key} name={sections[section].name} off={!isOn}>
            <Key>G</Key> <span className="text-muted">then</span> <Key>{key.toUpperCase()}</Key>
          </Line>
        ))}
      </dl>
      <Checkbox
        className="mt-4"
        checked={isOn}
        onChange={({ target }) => {
          setSingleKeys(target.checked)
          setOn(target.checked)
        }}
        hint="Turn them off if they get in the way of speech input. Applies to this browser."
      >
        Single-letter shortcuts
      </Checkbox>
    </Dialog>
  )
}

function Line({ name, off = false, children }: { name: string; off?: boolean; children: ReactNode }) {
  return (
    <Fragment>
      <dt className={off ? "text-muted line-through" : undefined}>{name}</dt>
      <dd className="text-right">{children}</dd>
    </Fragment>
  )
}

const Key = ({ children }: { children: string }) => (
  <kbd className="inline-block min-w-6 rounded border border-field bg-sunken px-1.5 text-center font-mono text-xs leading-5">
    {children}
  </kbd>
)
