import { sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { recordChange } from "#domain/audit-log"
import type { Principal } from "#domain/requests"
import { forgetAddresses } from "./notices.ts"
import { hasMail } from "./reminder-state.ts"

export type ReminderSettings = {
  on: boolean
  mail: boolean
}

export async function readReminderSettings(workspaceId: string): Promise<ReminderSettings> {
  const rows = await sql<{ on: boolean }[]>`
    select reminders as on from workspaces where id = ${workspaceId}`
  return { on: only(rows).on, mail: hasMail() }
}

/** Turns reminders of a workspace on or off. Turning them off deletes the addresses that investors gave. */
export async function setReminders({
  principal,
  requestId,
  on,
}: {
  principal: Principal
  requestId: string
  on: boolean
}): Promise<ReminderSettings> {
  const { workspaceId } = principal
  await sql.begin(async (sql) => {
    const changed = await sql`
      update workspaces set reminders = ${on} where id = ${workspaceId} and reminders <> ${on} returning id`
    if (changed.length === 0) return
    await recordChange(sql, workspaceId, {
      author: { principal, requestId },
      action: on ? "reminders.turned_on" : "reminders.turned_off",
      subject: workspaceId,
    })
  })
  if (!on) await forgetAddresses()
  return readReminderSettings(workspaceId)
}
