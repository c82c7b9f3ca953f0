"use client"

import { useState } from "react"
import { useMutation } from "#app/(dashboard)/workspace.tsx"
import { CodeBlock } from "#app/components/code-block.tsx"
import { Field, Form, Submit } from "#app/components/form.tsx"
import { Button } from "#app/components/ui/button.tsx"
import {
  Dialog,
  DialogClose,
  DialogContent,
  DialogFooter,
  DialogTrigger,
} from "#app/components/ui/dialog.tsx"
import { Input } from "#app/components/ui/input.tsx"
import { Select } from "#app/components/ui/select.tsx"
import type { Role } from "#shared/roles.ts"
import { roleNames } from "./roles.ts"

/** Invites somebody: by mail where the server sends any, else by a link to pass on. */
export function Invite() {
  const [isOpen, setOpen] = useState(false)
  return (
    <Dialog open={isOpen} onOpenChange={setOpen}>
      <DialogTrigger>
        <Button variant="primary">Invite member</Button>
      </DialogTrigger>
      <DialogContent title="Invite a member">
        <Invitation />
      </DialogContent>
    </Dialog>
  )
}

function Invitation() {
  const invite = useMutation(
    (api, input: { role: Role; email?: string }) => api.member.invite.mutate(input),
    {
      refresh: ["members"],
      quiet: true,
    },
  )
  if (invite.data) return <Invited {...invite.data} />
  return (
    <Form
      onSubmit={(values) => {
        const email = String(values.get("email"))
        return invite.mutateAsync({ role: values.get("role") as Role, ...(email && { email }) })
      }}
    >
      <Field name="role" label="Role">
        <Select defaultValue="developer">
          {Object.entries(roleNames).map(([role, { name, may }]) => (
            <option key={role} value={role}>
              {name}: {may.charAt(0).toLowerCase() + may.slice(1)}
            </option>
          ))}
        </Select>
      </Field>
      <Field
        name="email"
        label="Email (optional)"
        hint="With an address, only that person can use the link. Without one, anyone with the link can."
      >
        <Input type="email" autoComplete="off" />
      </Field>
      <DialogFooter>
        <DialogClose>
          <Button>Cancel</Button>
        </DialogClose>
        <Submit>Invite</Submit>
      </DialogFooter>
    </Form>
  )
}

function Invited({ link, sent_to }: { link: string | null; sent_to: string | null }) {
  return (
    <div className="space-y-4">
      {link === null ? (
        <p role="status">
          We sent a link to <span className="font-medium">{sent_to}</span>. It works once, for seven days.
        </p>
      ) : (
        <>
          <p role="status">
            Send this link to the person. It works once, for seven days, and is shown only now.
          </p>
          <CodeBlock label="Link" code={link} />
        </>
      )}
      <DialogFooter>
        <DialogClose>
          <Button variant="primary">Done</Button>
        </DialogClose>
      </DialogFooter>
    </div>
  )
}
