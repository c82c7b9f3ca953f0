import { useState } from "react"
import { useQuery } from "#app/(dashboard)/workspace.tsx"
import { Copyable } from "#app/components/code.tsx"
import { Failed } from "#app/components/states.tsx"
import { Button } from "#app/components/ui/button.tsx"

/** The signing secret, read once the member asks to see it. */
export function Secret({ of }: { of: string }) {
  const [isShown, setShown] = useState(false)
  const secret = useQuery("webhook.secret", { id: of }, { enabled: isShown })
  if (!isShown)
    return (
      <Button size="sm" onClick={() => setShown(true)}>
        Show
      </Button>
    )
  if (secret.error) return <Failed error={secret.error} onRetry={secret.refetch} />
  return secret.data ? (
    <Copyable value={secret.data.secret} what="the secret" compact />
  ) : (
    <span className="text-muted">Loading…</span>
  )
}
