import { useQueryClient } from "@tanstack/react-query"
import { useMemo, useState } from "react"
import { CurrentPassword, NewPassword } from "#app/(access)/password.tsx"
import { withAuth } from "#app/(access)/with-auth.ts"
import { useMe, useMutation, useQuery, useRefresh } from "#app/(dashboard)/workspace.tsx"
import { FieldGroup, Form, SelectField, Submit, TextField } from "#app/components/form.tsx"
import { Card, Loaded } from "#app/components/frame.tsx"
import { notify } from "#app/components/toast.ts"
import { Checkbox } from "#app/components/ui/input.tsx"
import { ownZone } from "#app/components/zone.ts"
import { chooseTheme, themeChoices, useTheme } from "#app/theme-choice.ts"
import type { NotificationSettings } from "#domain/notifications"
import type { Me } from "#domain/people"
import { type NotificationKind, notifications } from "#shared/notifications.ts"
import { Passkeys, SignIns } from "./passkeys.tsx"
import { TwoFactor } from "./two-factor.tsx"

/** The member's own settings, the same in every workspace. */
export const YourAccount = () => (
  <Loaded query={useMe()} what="your account" lines={8}>
    {({ user }) => (
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <div className="grid gap-6">
          <TwoFactor isOn={user.two_factor} />
          <Passkeys />
          <Password email={user.email} />
          <SignIns />
        </div>
        <div className="grid gap-6">
          <Profile user={user} />
          <Display timeZone={user.time_zone} />
          <Notifications />
        </div>
      </div>
    )}
  </Loaded>
)

function Profile({ user }: { user: Me["user"] }) {
  const client = useQueryClient()
  const rename = useMutation((api, name: string) => api.me.rename.mutate({ name }))
  return (
    <Card title="You">
      <Form
        onSubmit={async (values) => {
          await rename.mutateAsync(String(values.get("name")).trim())
          await client.invalidateQueries({ queryKey: ["me"] })
          notify("Name saved")
        }}
      >
        <TextField
          name="name"
          label="Name"
          hint="Shown to members and in the audit log."
          required
          key={user.name}
          autoComplete="name"
          defaultValue={user.name}
          maxLength={100}
        />
        <TextField
          name="email"
          label="Email"
          hint="You sign in with it. It cannot be changed."
          type="email"
          value={user.email}
          readOnly
        />
        <Submit variant="outline">Save name</Submit>
      </Form>
      {user.email_confirmed === false && <ConfirmEmail />}
    </Card>
  )
}

/** For users created before this server could send mail. Until they confirm, they cannot get a reset link. */
function ConfirmEmail() {
  const [sentTo, setSentTo] = useState<string | null>(null)
  const send = useMutation((api) => api.me.mailConfirmation.mutate())
  return (
    <section aria-label="Confirm your email" className="mt-5 border-t border-line pt-4">
      {sentTo === null ? (
        <Form
          onSubmit={async () => {
            setSentTo((await send.mutateAsync()).sent_to)
          }}
        >
          <p className="text-muted">
            Your email is not confirmed. Until you confirm it, you cannot reset your password by email or join another
            account.
          </p>
          <Submit variant="outline">Send confirmation link</Submit>
        </Form>
      ) : (
        <p role="status">Open the link we sent to {sentTo}. It works for one day.</p>
      )}
    </section>
  )
}

function Password({ email }: { email: string }) {
  // A change empties the form.
  const [changes, setChanges] = useState(0)
  const refresh = useRefresh()
  return (
    <Card title="Password" description="Changing your password signs you out everywhere else.">
      <Form
        key={changes}
        onSubmit={async (values) => {
          const currentPassword = String(values.get("current_password"))
          const newPassword = String(values.get("password"))
          await withAuth((auth) => auth.changePassword({ currentPassword, newPassword, revokeOtherSessions: true }))
          notify("Your password is changed")
          setChanges((count) => count + 1)
          void refresh()
        }}
      >
        {/* For password managers, which keep one entry per address. */}
        <input hidden readOnly name="username" autoComplete="username" value={email} />
        <CurrentPassword label="Current password" />
        <NewPassword label="New password" />
        <Submit variant="outline">Change password</Submit>
      </Form>
    </Card>
  )
}

/** The theme of this browser, and the time zone of this member in every browser. */
function Display({ timeZone }: { timeZone: string | null }) {
  const client = useQueryClient()
  const theme = useTheme()
  const save = useMutation((api, time_zone: string | null) => api.me.setTimeZone.mutate({ time_zone }))
  const zones = useMemo(() => [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone")])], [])
  return (
    <Card title="Display">
      <Form
        onSubmit={async (values) => {
          chooseTheme(String(values.get("theme")))
          await save.mutateAsync(String(values.get("time_zone")) || null)
          // Filters by day now cover other times.
          await client.invalidateQueries()
          notify("Display settings saved")
        }}
      >
        <SelectField
          name="theme"
          label="Theme"
          hint="Applies to this browser."
          // The menu of the user can change it as well.
          key={theme}
          defaultValue={theme}
          options={themeChoices}
        />
        <SelectField
          name="time_zone"
          label="Time zone"
          hint="For all times in the dashboard. Charts use UTC days."
          key={timeZone}
          defaultValue={timeZone ?? ""}
        >
          <option value="">{`Browser (${spaced(ownZone())})`}</option>
          {zones.map((zone) => (
            <option key={zone} value={zone}>
              {spaced(zone)}
            </option>
          ))}
          {timeZone !== null && !zones.includes(timeZone) && <option value={timeZone}>{spaced(timeZone)}</option>}
        </SelectField>
        <Submit variant="outline">Save display</Submit>
      </Form>
    </Card>
  )
}

const spaced = (zone: string) => zone.replaceAll("_", " ")

function Notifications() {
  const { data, error, refetch } = useQuery("member.notifications")
  return (
    <Card title="Email notifications" description={`Emails you get as a member${data ? ` of ${data.account}` : ""}.`}>
      <Loaded query={{ data, error, refetch }} what="your notifications" lines={5}>
        {(data) => <Choices {...data} />}
      </Loaded>
    </Card>
  )
}

function Choices({ kinds, email_confirmed }: NotificationSettings) {
  const mute = useMutation((api, muted: NotificationKind[]) => api.member.muteNotifications.mutate({ muted }))
  if (kinds.length === 0) return <p className="text-muted">Your role gets no emails.</p>
  return (
    <Form
      onSubmit={async (values) => {
        const on = new Set(values.getAll("on"))
        await mute.mutateAsync(kinds.flatMap(({ kind }) => (on.has(kind) ? [] : kind)))
        notify("Notifications saved")
      }}
    >
      {email_confirmed !== true && (
        <p className="text-notice">
          {email_confirmed === null
            ? "This server cannot send email, so nothing is sent. Ask its administrator to set VOUCH_SMTP_URL."
            : "Your email is not confirmed, so nothing is sent. Confirm it under You."}
        </p>
      )}
      <FieldGroup legend="Email me about" name="muted">
        <div className="grid gap-2">
          {kinds.map(({ kind, on }) => (
            <Checkbox
              // A refetch after saving shows the saved values.
              key={`${kind} ${on}`}
              name="on"
              value={kind}
              defaultChecked={on}
              hint={notifications[kind].summary}
            >
              {notifications[kind].name}
            </Checkbox>
          ))}
        </div>
      </FieldGroup>
      <Submit variant="outline">Save notifications</Submit>
    </Form>
  )
}
