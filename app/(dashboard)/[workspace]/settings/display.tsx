"use client"

import { useQueryClient } from "@tanstack/react-query"
import { useMemo } from "react"
import { useMutation } from "#app/(dashboard)/workspace.tsx"
import { Field, Form, Submit } from "#app/components/form.tsx"
import { notify } from "#app/components/toast.ts"
import { Card } from "#app/components/ui/card.tsx"
import { Select } from "#app/components/ui/select.tsx"
import { ownZone } from "#app/components/zone.ts"
import { asTheme, THEME_COOKIE } from "#app/theme.ts"

const SYSTEM = "system"
const YEAR_SECONDS = 365 * 86_400

/** How pages look, in this browser, and the zone of the times that they show, wherever this person signs in. */
export function Display({ timeZone }: { timeZone: string | null }) {
  const client = useQueryClient()
  const save = useMutation((api, time_zone: string | null) => api.me.setTimeZone.mutate({ time_zone }), {
    quiet: true,
  })
  const zones = useMemo(() => [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone")])], [])
  return (
    <Card title="Display">
      <Form
        onSubmit={async (values) => {
          chooseTheme(String(values.get("theme")))
          await save.mutateAsync(String(values.get("time_zone")) || null)
          // Filters by day ask for other times now.
          await client.invalidateQueries()
          notify("Display settings saved")
        }}
      >
        <Field name="theme" label="Theme" hint="Applies to this browser.">
          <Select defaultValue={asTheme(document.documentElement.dataset.theme) ?? SYSTEM}>
            <option value={SYSTEM}>System</option>
            <option value="light">Light</option>
            <option value="dark">Dark</option>
          </Select>
        </Field>
        <Field name="time_zone" label="Time zone" hint="For all times in the dashboard. Charts use UTC days.">
          <Select key={timeZone} defaultValue={timeZone ?? ""}>
            <option value="">{`Browser (${spaced(ownZone())})`}</option>
            {zones.map((zone) => (
              <option key={zone} value={zone}>
                {spaced(zone)}
              </option>
            ))}
            {timeZone !== null && !zones.includes(timeZone) && (
              <option value={timeZone}>{spaced(timeZone)}</option>
            )}
          </Select>
        </Field>
        <Submit variant="outline">Save display</Submit>
      </Form>
    </Card>
  )
}

const spaced = (zone: string) => zone.replaceAll("_", " ")

/** At once here, and with the next page from the server. */
function chooseTheme(choice: string): void {
  const theme = asTheme(choice)
  const secure = window.location.protocol === "https:" ? "; Secure" : ""
  // biome-ignore lint/suspicious/noDocumentCookie: the cookie store is not in every browser
  document.cookie = `${THEME_COOKIE}=${theme ?? ""}; Path=/; Max-Age=${theme ? YEAR_SECONDS : 0}; SameSite=Lax${secure}`
  if (theme) document.documentElement.dataset.theme = theme
  else delete document.documentElement.dataset.theme
}
