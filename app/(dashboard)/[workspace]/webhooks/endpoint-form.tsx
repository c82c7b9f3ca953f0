import { useState } from "react"
import { useMutation } from "#app/(dashboard)/workspace.tsx"
import { FieldGroup, GroupButton, TextField } from "#app/components/form.tsx"
import { FormDialog } from "#app/components/form-dialog.tsx"
import { Checkbox } from "#app/components/ui/input.tsx"
import { allEventTypes, type EventType, eventTypes } from "#shared/event-types.ts"
import type { Endpoint } from "./endpoint.tsx"

type EndpointFormProps = { of: Endpoint | null; onClose: () => void; onCreated?: (id: string) => void }

export function EndpointForm({ of, onClose, onCreated }: EndpointFormProps) {
  const [chosen, setChosen] = useState<ReadonlySet<EventType>>(new Set(of?.types ?? allEventTypes))
  const [wantsAll, setWantsAll] = useState((of?.types ?? null) === null)
  const save = useMutation(
    (api, fields: { url: string; description: string | null; types: EventType[] | null; ordered: boolean }) =>
      of === null ? api.webhook.create.mutate(fields) : api.webhook.change.mutate({ id: of.endpoint_id, ...fields }),
  )

  function toggle(type: EventType) {
    const next = new Set(chosen)
    if (!next.delete(type)) next.add(type)
    setChosen(next)
  }

  return (
    <FormDialog
      onClose={onClose}
      title={of === null ? "Add a webhook endpoint" : "Edit the webhook endpoint"}
      description={
        of === null
          ? "From now on, events of this workspace are sent to it, signed with its own secret."
          : "Applies to new events, and to those waiting for another attempt."
      }
      submit={of === null ? "Add endpoint" : "Save"}
      isPinned
      check={() => ({ types: !wantsAll && chosen.size === 0 ? "Select at least one type." : undefined })}
      onSubmit={async (values) => {
        const saved = await save.mutateAsync({
          url: String(values.get("url")).trim(),
          description: String(values.get("description")).trim() || null,
          types: wantsAll ? null : allEventTypes.filter((type) => chosen.has(type)),
          ordered: values.get("ordered") !== null,
        })
        if (of === null) onCreated?.(saved.endpoint_id)
      }}
    >
      <TextField
        label="URL"
        name="url"
        hint="An https:// address on the public Internet, or one that your administrator allows."
        required
        type="url"
        className="font-mono"
        maxLength={2000}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        placeholder="https://example.com/webhooks"
        defaultValue={of?.url}
      />
      <TextField
        label="Description"
        name="description"
        hint="Optional. For example, the system that receives the events."
        maxLength={200}
        autoComplete="off"
        defaultValue={of?.description ?? ""}
      />
      <FieldGroup legend="Events" name="types">
        <Checkbox checked={wantsAll} onChange={({ target }) => setWantsAll(target.checked)}>
          All events, including types added later
        </Checkbox>
        {!wantsAll && (
          <>
            <div className="mb-1 flex gap-4 text-[13px]">
              <GroupButton onClick={() => setChosen(new Set())}>None</GroupButton>
              <GroupButton onClick={() => setChosen(new Set(allEventTypes))}>All</GroupButton>
            </div>
            <div className="grid gap-x-4 sm:grid-cols-2">
              {allEventTypes.map((type) => (
                <Checkbox
                  key={type}
                  name="types"
                  value={type}
                  checked={chosen.has(type)}
                  onChange={() => toggle(type)}
                  hint={eventTypes[type]}
                >
                  <code className="font-mono text-[13px]">{type}</code>
                </Checkbox>
              ))}
            </div>
          </>
        )}
      </FieldGroup>
      <Checkbox
        name="ordered"
        defaultChecked={of?.ordered ?? false}
        hint="An event waits until each earlier one was delivered or has used its attempts. Slower: one event that keeps failing holds up the rest for days."
      >
        In order
      </Checkbox>
    </FormDialog>
  )
}
