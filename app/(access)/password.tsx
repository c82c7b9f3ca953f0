import { TextField } from "#app/components/form.tsx"

/** The server requires the same length and decides. */
const SHORTEST = 12

export const NewPassword = ({ label = "Password" }: { label?: string }) => (
  <TextField
    name="password"
    label={label}
    hint={`At least ${SHORTEST} characters. A few words are easy to remember.`}
    required
    type="password"
    autoComplete="new-password"
    minLength={SHORTEST}
    maxLength={128}
  />
)

/** Asks for the password again, before an action that access to an open laptop must not allow. */
export function CurrentPassword({ label = "Your password" }: { label?: string }) {
  return <TextField name="current_password" label={label} required type="password" autoComplete="current-password" />
}
