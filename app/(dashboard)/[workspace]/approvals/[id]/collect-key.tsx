import { lazy, type ReactNode, Suspense, useState } from "react"
import type { NewSecret } from "#app/(dashboard)/[workspace]/keys/key-dialogs.tsx"
import { useMutation, useQuery } from "#app/(dashboard)/workspace.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { COLLECT_DAYS } from "#shared/approvals.ts"
import type { ApprovalDetail } from "../summary.ts"

const SecretOnce = lazy(() =>
  import("#app/(dashboard)/[workspace]/keys/key-dialogs.tsx").then((dialogs) => ({ default: dialogs.SecretOnce })),
)

/** Whether the key of an approval waits for its requester. */
const isCollectable = ({ action, state, outcome, is_requester }: ApprovalDetail): boolean =>
  action === "key_create" && state === "approved" && is_requester && !outcome?.key_id && !outcome?.error

/**
 * Makes the approved key and shows its secret, to the member who requested it; `children` if there is none to collect.
 * Stays mounted while the secret is shown, although the approval changes as soon as the key exists.
 */
export function CollectKey({ approval, children }: { approval: ApprovalDetail; children: ReactNode }) {
  const { approval_id } = approval
  // Read in advance: once the secret exists, nothing may fail before it is shown.
  const options = useQuery("key.options", {})
  const [secret, setSecret] = useState<NewSecret | null>(null)
  const collect = useMutation((api) => api.key.collect.mutate({ approval_id }), { refresh: false })
  return (
    <>
      {isCollectable(approval) ? (
        <>
          <p className="mb-3">
            The key is approved. Its secret is made when you collect it, and shown once. You can collect it for{" "}
            {COLLECT_DAYS} days.
          </p>
          <Button
            variant="primary"
            pending={collect.isPending}
            onClick={() =>
              collect.mutate(undefined, ({ api_key, key_id }) =>
                setSecret({
                  title: "The key is ready",
                  apiKey: api_key,
                  keyId: key_id,
                  baseUrl: options.data?.base_url ?? `${window.location.origin}/v1`,
                }),
              )
            }
          >
            Collect the key
          </Button>
        </>
      ) : (
        children
      )}
      {secret && (
        <Suspense>
          <SecretOnce secret={secret} onStored={() => setSecret(null)} />
        </Suspense>
      )}
    </>
  )
}
