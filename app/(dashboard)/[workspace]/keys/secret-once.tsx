import { useEffect, useRef, useState } from "react"
import { CodeBlock } from "#app/components/code.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Checkbox } from "#app/components/ui/checkbox.tsx"
import { Dialog, DialogFooter } from "#app/components/ui/dialog.tsx"

export type NewSecret = { title: string; apiKey: string; keyId: string; baseUrl: string }

/** Shows a secret once. Stays open until the reader confirms that they stored it. */
export function SecretOnce({
  secret: { title, apiKey, baseUrl },
  onStored,
}: {
  secret: NewSecret
  onStored: () => void
}) {
  const [isStored, setStored] = useState(false)
  const [isAsked, setAsked] = useState(false)
  const box = useRef<HTMLInputElement>(null)

  // A tab that is closed or left takes the secret with it.
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    if (!isStored) window.addEventListener("beforeunload", ask)
    return () => window.removeEventListener("beforeunload", ask)
  }, [isStored])

  function leave() {
    if (isStored) return onStored()
    setAsked(true)
    box.current?.focus()
  }

  return (
    <Dialog
      onClose={leave}
      title={title}
      description="Copy this key now and store it with your server's secrets. It is not shown again."
    >
      <div className="space-y-4">
        <CodeBlock label="API key" code={apiKey} />
        <CodeBlock label="Try it" code={`curl ${baseUrl}/schemas \\\n  -H "Authorization: Bearer ${apiKey}"`} />
        <div>
          <Checkbox
            ref={box}
            checked={isStored}
            aria-invalid={isAsked && !isStored ? true : undefined}
            aria-describedby={isAsked && !isStored ? "store-first" : undefined}
            onChange={({ target }) => setStored(target.checked)}
          >
            I have stored this key
          </Checkbox>
          {isAsked && !isStored && (
            <p id="store-first" role="alert" className="text-[13px] text-danger">
              Confirm that you stored the key: after you close this, no one can see it again.
            </p>
          )}
        </div>
      </div>
      <DialogFooter>
        <Button variant="primary" onClick={leave}>
          Done
        </Button>
      </DialogFooter>
    </Dialog>
  )
}
