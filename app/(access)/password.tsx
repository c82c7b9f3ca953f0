import { Field } from "#app/components/form.tsx"
import { Input } from "#app/components/ui/input.tsx"

/** The server asks for as many, and has the last word. */
const SHORTEST = 12

/** A password that is chosen now. */
export function NewPassword({ label = "Password" }: { label?: string }) {
  return (
    <Field
      name="password"
      label={label}
      hint={`At least ${SHORTEST} characters. A few words are easy to remember.`}
      required
    >
      <Input type="password" autoComplete="new-password" minLength={SHORTEST} maxLength={128} />
    </Field>
  )
}

/** Asked for again before what an open laptop must not be enough for. */
export function CurrentPassword({ label = "Your password" }: { label?: string }) {
  return (
    <Field name="current_password" label={label} required>
      <Input type="password" autoComplete="current-password" />
    </Field>
  )
}
