import { useQueryClient } from "@tanstack/react-query"
import { Download } from "lucide-react"
import dynamicModule from "next/dynamic.js"
import { useState } from "react"
import { CurrentPassword } from "#app/(access)/password.tsx"
import { useRefresh } from "#app/(dashboard)/workspace.tsx"
import { useCopy } from "#app/components/code.tsx"
import { Confirm } from "#app/components/confirm.tsx"
import { DialogSubmit } from "#app/components/dialog-submit.tsx"
import { Field, Form } from "#app/components/form.tsx"
import { Icon } from "#app/components/icons.tsx"
import { Skeleton } from "#app/components/states.tsx"
import { notify } from "#app/components/toast.ts"
import { Badge } from "#app/components/ui/badge.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Card } from "#app/components/ui/card.tsx"
import { Dialog, DialogContent, DialogFooter, DialogTrigger } from "#app/components/ui/dialog.tsx"
import { Input } from "#app/components/ui/input.tsx"

// The types of next/dynamic declare a nested default export, which does not exist at run time.
const dynamic = dynamicModule as unknown as typeof dynamicModule.default
const QrCode = dynamic(() => import("#app/components/qr-code.tsx"), {
  ssr: false,
  loading: () => <Skeleton className="size-44 rounded-lg" />,
})

/** A code from an authenticator app as a second factor. */
export function TwoFactor({ isOn }: { isOn: boolean }) {
  return (
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
}

/** Changing the second factor also changes the session, so both are read again. */
function useChanged() {
  const client = useQueryClient()
  const refresh = useRefresh()
  return () => {
    void client.invalidateQueries({ queryKey: ["me"] })
    void refresh()
    void refresh()
  }
}

type Step = { name: "password" } | { name: "code"; uri: string; codes: string[] } | { name: "kept"; codes: string[] }

function SwitchOn() {
  const [isOpen, setOpen] = useState(false)
  const [step, setStep] = useState<Step>({ name: "password" })
  const changed = useChanged()

  function change(open: boolean) {
    setOpen(open)
    if (open) return setStep({ name: "password" })
    // Refreshed only now: once the card says "On", this dialog with the codes disappears.
    if (step.name === "kept") changed()
  }

  return (
    <Dialog open={isOpen} onOpenChange={change}>
      <DialogTrigger>
        <Button variant="primary">Turn on</Button>
      </DialogTrigger>
      <DialogContent
        title={step.name === "kept" ? "Keep your backup codes" : "Turn on the authenticator app"}
        // The codes are shown once, so a click outside must not close the dialog.
        insists={step.name === "kept"}
      >
        {step.name === "password" && <PasswordStep onDone={(uri, codes) => setStep({ name: "code", uri, codes })} />}
        {step.name === "code" && (
          <CodeStep uri={step.uri} onDone={() => setStep({ name: "kept", codes: step.codes })} />
        )}
        {step.name === "kept" && <BackupCodes codes={step.codes} onKept={() => change(false)} />}
      </DialogContent>
    </Dialog>
  )
}

function PasswordStep({ onDone }: { onDone: (uri: string, codes: string[]) => void }) {
  return (
    <Form
      onSubmit={async (values) => {
        const { auth, throwIf } = await import("#app/(access)/auth.ts")
        const { data, error } = await auth.twoFactor.enable({
          password: String(values.get("current_password")),
        })
        throwIf(error)
        if (data?.method === "totp") onDone(data.totpURI, data.backupCodes)
      }}
    >
      <CurrentPassword />
      <DialogSubmit>Continue</DialogSubmit>
    </Form>
  )
}

function CodeStep({ uri, onDone }: { uri: string; onDone: () => void }) {
  const secret = new URL(uri).searchParams.get("secret")!
  const { outcome, copy } = useCopy(secret)
  return (
    <Form
      onSubmit={async (values) => {
        const { auth, throwIf } = await import("#app/(access)/auth.ts")
        const code = String(values.get("code")).replaceAll(/\s/g, "")
        const { error } = await auth.twoFactor.verifyTotp({ code })
        throwIf(error)
        onDone()
      }}
    >
      <p>Scan this with your authenticator app, or enter the secret there.</p>
      <div className="flex flex-wrap items-center gap-4">
        <QrCode text={uri} label="QR code for your authenticator app" />
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
      <Field name="code" label="Code" hint="The six-digit code for Vouch in your authenticator app." required>
        <Input inputMode="numeric" autoComplete="one-time-code" className="font-mono tracking-widest" />
      </Field>
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
        const { auth, throwIf } = await import("#app/(access)/auth.ts")
        const { error } = await auth.twoFactor.disable({ password: String(values.get("current_password")) })
        throwIf(error)
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
  function change(open: boolean) {
    setOpen(open)
    setCodes(null)
  }
  return (
    <Dialog open={isOpen} onOpenChange={change}>
      <DialogTrigger>
        <Button>New backup codes</Button>
      </DialogTrigger>
      <DialogContent title={codes ? "Keep your backup codes" : "Create new backup codes"} insists={codes !== null}>
        {codes ? (
          <BackupCodes codes={codes} onKept={() => change(false)} />
        ) : (
          <Form
            onSubmit={async (values) => {
              const { auth, throwIf } = await import("#app/(access)/auth.ts")
              const { data, error } = await auth.twoFactor.generateBackupCodes({
                password: String(values.get("current_password")),
              })
              throwIf(error)
              setCodes(data!.backupCodes)
            }}
          >
            <p>Your current codes stop working.</p>
            <CurrentPassword />
            <DialogSubmit>Create codes</DialogSubmit>
          </Form>
        )}
      </DialogContent>
    </Dialog>
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
