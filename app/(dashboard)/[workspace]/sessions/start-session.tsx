import { lazy, Suspense, useState } from "react"
import { PersonPicker } from "#app/(dashboard)/person-picker.tsx"
import { useMutation, useQuery } from "#app/(dashboard)/workspace.tsx"
import { CodeBlock } from "#app/components/code.tsx"
import { Form, SelectField, TextField } from "#app/components/form.tsx"
import { DialogSubmit } from "#app/components/form-dialog.tsx"
import { Loaded, Skeleton } from "#app/components/frame.tsx"
import { Ago } from "#app/components/timestamp.tsx"
import { buttonLook } from "#app/components/ui/button.tsx"
import { Dialog, DialogFooter, DismissButton } from "#app/components/ui/dialog.tsx"

type Start = { userPubkey: string; schemaId: string; externalId?: string; redirectUrl?: string }

const USUAL = "kyc_individual_v1"
const usualOf = (schemas: readonly { id: string }[]) => (schemas.find(({ id }) => id === USUAL) ?? schemas[0])?.id

type StartSessionProps = {
  /** Initial values from the link to this form. */
  wallet: string | null
  schema: string | null
  externalId?: string | null
  onClose: () => void
  onStarted: (link: Link) => void
}

export function StartSession({ wallet, schema, externalId = null, onClose, onStarted }: StartSessionProps) {
  const schemas = useQuery("schema.list", {})
  const [entered, setEntered] = useState(wallet ?? "")
  const [chosen, setChosen] = useState(schema)
  const start = useMutation((api, input: Start) => api.kyc.start.mutate(input))

  async function submit(values: FormData) {
    const text = (name: string) => String(values.get(name) ?? "").trim()
    const userPubkey = text("userPubkey")
    const { session_url } = await start.mutateAsync({
      userPubkey,
      schemaId: text("schemaId"),
      ...(text("externalId") && { externalId: text("externalId") }),
      ...(text("redirectUrl") && { redirectUrl: text("redirectUrl") }),
    })
    onClose()
    onStarted({ url: session_url, wallet: userPubkey })
  }

  return (
    <Dialog
      onClose={onClose}
      title="Start a session"
      description="If the wallet already has an open session for this schema, you get that session and your quota is not charged."
    >
      <Loaded query={schemas} what="the schemas">
        {(data) => (
          <Form onSubmit={submit}>
            <PersonPicker
              label="Wallet"
              name="userPubkey"
              hint="The wallet to verify. Paste its address if it is new."
              value={entered}
              onChange={setEntered}
              of={{ schema: chosen ?? usualOf(data.data) ?? "" }}
            />
            <SelectField
              label="Schema"
              name="schemaId"
              required
              value={chosen ?? usualOf(data.data)}
              onChange={({ target }) => setChosen(target.value)}
              options={data.data.map(({ id, name }) => [id, `${name} (${id})`] as const)}
            />
            <TextField
              label="External id (optional)"
              name="externalId"
              hint="Your own id for the investor."
              defaultValue={externalId ?? ""}
              autoComplete="off"
              maxLength={200}
            />
            <TextField
              label="Redirect URL (optional)"
              name="redirectUrl"
              hint="Where the investor goes after the verification."
              type="url"
              autoComplete="off"
              placeholder="https://"
            />
            <DialogSubmit>Start session</DialogSubmit>
          </Form>
        )}
      </Loaded>
    </Dialog>
  )
}

const QrCode = lazy(() => import("#app/components/qr-code.tsx"))

/** `until` is unknown for a session that was just started. */
export type Link = { url: string; wallet: string; until?: string | null }

/** A draft in the reader's own mail program: Vouch does not know the investor's address. */
const mailTo = (url: string) =>
  `mailto:?subject=${encodeURIComponent("Verify your identity")}&body=${encodeURIComponent(
    `Open this link to verify your identity:\n\n${url}\n`,
  )}`

export const SessionLink = ({ link: { url, wallet, until }, onClose }: { link: Link; onClose: () => void }) => (
  <Dialog
    onClose={onClose}
    title="Send this link to the investor"
    description={
      <>
        It verifies <code className="font-mono text-[13px] break-all">{wallet}</code>
        {until && (
          <>
            {" "}
            and expires <Ago at={until} />
          </>
        )}
        . Anyone with the link can fill in the form.
      </>
    }
  >
    <div className="space-y-4">
      <CodeBlock label="Session link" code={url} />
      <div className="flex justify-center">
        <Suspense fallback={<Skeleton className="size-48 rounded" />}>
          <QrCode text={url} label="QR code for the session link" />
        </Suspense>
      </div>
    </div>
    <DialogFooter>
      <a href={mailTo(url)} className={buttonLook()}>
        Email
      </a>
      <a href={url} target="_blank" rel="noopener noreferrer" className={buttonLook()}>
        Open
        <span className="sr-only"> the session's page in a new tab</span>
      </a>
      <DismissButton variant="primary">Done</DismissButton>
    </DialogFooter>
  </Dialog>
)
