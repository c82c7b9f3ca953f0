import { Field } from "#app/components/form.tsx"
import { Input } from "#app/components/ui/input.tsx"

/** Asked for again before what an open laptop must not be enough for. */
export function CurrentPassword({ label = "Your password" }: { label?: string }) {
  return (
    <Field name="current_password" label={label} required>
      <Input type="password" autoComplete="current-password" />
    </Field>
  )
}
