import { useQueryClient } from "@tanstack/react-query"
import { Download } from "lucide-react"
import { lazy, Suspense, useState } from "react"
import { CurrentPassword } from "#app/(access)/password.tsx"
import { withAuth } from "#app/(access)/with-auth.ts"
import { useRefresh } from "#app/(dashboard)/workspace.tsx"
import { Badge } from "#app/components/badge.tsx"
import { useCopy } from "#app/components/code.tsx"
import { Form, TextField } from "#app/components/form.tsx"
import { Confirm, DialogSubmit } from "#app/components/form-dialog.tsx"
import { Card, Skeleton } from "#app/components/frame.tsx"
import { Icon } from "#app/components/icons.tsx"
import { notify } from "#app/components/toast.ts"
import { Button } from "#app/components/ui/button.tsx"
import { Dialog, DialogFooter } from "#app/components/ui/dialog.tsx"

const QrCode = lazy(() => import("#app/components/qr-code.tsx"))

export const TwoFactor = ({ isOn }: { isOn: boolean }) => (
  <Card
    title="Authenticator app"
    description="Enter a code from an app on your phone after your password."
    actions={isOn ? <Badge tone="good">On</Badge> : <Badge>Off</Badge>}
  >
    <div className="flex flex-wrap gap-2">
      {isOn ? (
        <>
          <NewBackupCodes />
          <SwitchOff />
        </>
      ) : (
        <SwitchOn />
      )}
    </div>
  </Card>
)

/** Changing the second factor also changes the session, so both are read again. */
function useChanged() {
  const client = useQueryClient()
  const refresh = useRefresh()
  return () => {
    void client.invalidateQueries({ queryKey: ["me"] })
    void refresh()
  }
}

const passwordIn = (values: FormData) => ({ password: String(values.get("current_password")) })

type Step = { name: "password" } | { name: "code"; uri: string; codes: string[] } | { name: "kept"; codes: string[] }

function SwitchOn() {
  const [step, setStep] = useState<Step | null>(null)
  const changed = useChanged()
  function close() {
    setStep(null)
    // Refreshed only now: once the card says "On", this dialog with the codes disappears.
    if (step?.name === "kept") changed()
  }
  return (
    <>
      <Button variant="primary" aria-haspopup="dialog" onClick={() => setStep({ name: "password" })}>
        Turn on
      </Button>
      {step && (
        <Dialog
          onClose={close}
          title={step.name === "kept" ? "Keep your backup codes" : "Turn on the authenticator app"}
          // The codes are shown once, so a click outside must not close the dialog.
          insists={step.name === "kept"}
        >
          {step.name === "password" && <PasswordStep onDone={(uri, codes) => setStep({ name: "code", uri, codes })} />}
          {step.name === "code" && <CodeStep {...step} onDone={() => setStep({ name: "kept", codes: step.codes })} />}
          {step.name === "kept" && <BackupCodes codes={step.codes} onKept={close} />}
        </Dialog>
      )}
    </>
  )
}

const PasswordStep = ({ onDone }: { onDone: (uri: string, codes: string[]) => void }) => (
  <Form
    onSubmit={async (values) => {
      const data = await withAuth((auth) => auth.twoFactor.enable(passwordIn(values)))
      if (data.method === "totp") onDone(data.totpURI, data.backupCodes)
    }}
  >
    <CurrentPassword />
    <DialogSubmit>Continue</DialogSubmit>
  </Form>
)

function CodeStep({ uri, onDone }: { uri: string; onDone: () => void }) {
  const secret = new URL(uri).searchParams.get("secret")!
  const { outcome, copy } = useCopy(secret)
  return (
    <Form
      onSubmit={async (values) => {
        const code = String(values.get("code")).replaceAll(/\s/g, "")
        await withAuth((auth) => auth.twoFactor.verifyTotp({ code }))
        onDone()
      }}
    >
      <p>Scan this with your authenticator app, or enter the secret there.</p>
      <div className="flex flex-wrap items-center gap-4">
        <Suspense fallback={<Skeleton className="size-48 rounded-lg" />}>
          <QrCode text={uri} label="QR code for your authenticator app" />
        </Suspense>
        <div className="min-w-0 flex-1 basis-40">
          <p className="text-[13px] text-muted">Secret</p>
          <p className="font-mono text-[13px] leading-relaxed select-all" data-secret>
            {secret.match(/.{1,4}/g)!.join(" ")}
          </p>
          <Button size="sm" className="mt-2" onClick={copy}>
            {outcome === "copied" ? "Copied" : "Copy secret"}
          </Button>
        </div>
      </div>
      <TextField
        name="code"
        label="Code"
        hint="The six-digit code for Vouch in your authenticator app."
        required
        inputMode="numeric"
        autoComplete="one-time-code"
        className="font-mono tracking-widest"
      />
      <DialogSubmit>Confirm</DialogSubmit>
    </Form>
  )
}

function SwitchOff() {
  const changed = useChanged()
  return (
    <Confirm
      trigger={<Button>Turn off</Button>}
      title="Turn off the authenticator app?"
      description="You will sign in with your password only. Your backup codes stop working."
      confirm="Turn off"
      onConfirm={async (values) => {
        await withAuth((auth) => auth.twoFactor.disable(passwordIn(values)))
        changed()
        notify("Authenticator app turned off")
      }}
    >
      <CurrentPassword />
    </Confirm>
  )
}

function NewBackupCodes() {
  const [isOpen, setOpen] = useState(false)
  const [codes, setCodes] = useState<string[] | null>(null)
  function close() {
    setOpen(false)
    setCodes(null)
  }
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>
        New backup codes
      </Button>
      {isOpen && (
        <Dialog
          onClose={close}
          title={codes ? "Keep your backup codes" : "Create new backup codes"}
          insists={codes !== null}
        >
          {codes ? (
            <BackupCodes codes={codes} onKept={close} />
          ) : (
            <Form
              onSubmit={async (values) => {
                const { backupCodes } = await withAuth((auth) => auth.twoFactor.generateBackupCodes(passwordIn(values)))
                setCodes(backupCodes)
              }}
            >
              <p>Your current codes stop working.</p>
              <CurrentPassword />
              <DialogSubmit>Create codes</DialogSubmit>
            </Form>
          )}
        </Dialog>
      )}
    </>
  )
}

/** Backup codes, which each work once in place of the app. Shown once. */
function BackupCodes({ codes, onKept }: { codes: readonly string[]; onKept: () => void }) {
  const { outcome, copy } = useCopy(codes.join("\n"))
  return (
    <div className="space-y-4">
      <p>
        Each code works once in place of the app. They are shown only now: store them where you can find them without
        your phone.
      </p>
      <ul
        aria-label="Backup codes"
        className="grid grid-cols-2 gap-x-6 gap-y-1 rounded-lg border border-line bg-sunken p-3 font-mono text-[13px] select-all"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <Button size="sm" onClick={copy}>
          <Icon name={outcome === "copied" ? "check" : "copy"} />
          {outcome === "copied" ? "Copied" : "Copy codes"}
        </Button>
        <Button size="sm" onClick={() => download(codes)}>
          <Download aria-hidden="true" />
          Download
        </Button>
        <span role="status" className="sr-only">
          {outcome === "copied" ? "Copied" : outcome === "refused" ? "Select the codes to copy them" : ""}
        </span>
      </div>
      <DialogFooter>
        <Button variant="primary" onClick={onKept}>
          I have stored these codes
        </Button>
      </DialogFooter>
    </div>
  )
}

function download(codes: readonly string[]): void {
  const text = `Backup codes for Vouch. Each works once.\n\n${codes.join("\n")}\n`
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }))
  const link = document.createElement("a")
  link.href = url
  link.download = "vouch-backup-codes.txt"
  link.click()
  URL.revokeObjectURL(url)
}
