import { ruleFields } from "#shared/rules/fields.ts"
import { Value } from "./value.tsx"

/** The rules that would change, in the words of the form. */
export const RuleChanges = ({ rules }: { rules: Record<string, unknown> }) => (
  <ul>
    {Object.entries(rules).map(([name, value]) => (
      <li key={name}>
        {ruleFields.find((field) => field.name === name)?.label ?? name}:{" "}
        {value === null ? "none" : <Value of={value} />}
      </li>
    ))}
  </ul>
)
