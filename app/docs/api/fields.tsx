import type { ReactNode } from "react"
import { Inline } from "#app/docs/text.tsx"
import type { Parameter, Schema } from "#server/rest/openapi/types.ts"
import { fieldsOf, limitsOf, typeOf, valuesOf, variantsOf } from "./types.ts"

/** How deep objects are shown. Deeper ones have their own page, or are in the example. */
const DEEPEST = 3

/** The fields of a body. Nested fields are collapsed. */
export function Fields({ schema, isRequest, depth = 0 }: { schema: Schema; isRequest: boolean; depth?: number }) {
  const variants = variantsOf(schema)
  if (variants) return <Variants variants={variants} isRequest={isRequest} depth={depth} />
  const inside = fieldsOf(schema)
  if (inside === null) return <p className="text-muted">{typeOf(schema)}</p>
  return (
    <dl className="divide-y divide-line">
      {inside.fields.map(([name, field]) => (
        <Field
          key={name}
          name={name}
          schema={field}
          // In a response every field is present, unless marked otherwise.
          mark={isRequest === inside.required.has(name) ? (isRequest ? "required" : "may be missing") : null}
        >
          {depth < DEEPEST && (fieldsOf(field) || variantsOf(field)) && (
            <details className="mt-1">
              <summary className="cursor-pointer py-1 text-[13px] text-accent">
                Fields of <code>{name}</code>
              </summary>
              <div className="border-l border-line pl-4">
                <Fields schema={field} isRequest={isRequest} depth={depth + 1} />
              </div>
            </details>
          )}
        </Field>
      ))}
    </dl>
  )
}

const Variants = ({
  variants,
  isRequest,
  depth,
}: {
  variants: { types: string[]; schema: Schema }[]
  isRequest: boolean
  depth: number
}) => (
  <ul className="divide-y divide-line">
    {variants.map(({ types, schema }) => (
      <li key={types.join(" ")} className="py-2">
        <details>
          <summary className="cursor-pointer text-[13px]">
            {types.map((type, index) => (
              <span key={type}>
                {index > 0 && ", "}
                <code>{type}</code>
              </span>
            ))}
          </summary>
          <div className="border-l border-line pl-4">
            <Fields schema={schema} isRequest={isRequest} depth={depth + 1} />
          </div>
        </details>
      </li>
    ))}
  </ul>
)

export const Parameters = ({ parameters }: { parameters: Parameter[] }) => (
  <dl className="divide-y divide-line">
    {parameters.map(({ name, in: place, required, description, schema }) => (
      <Field
        key={name}
        name={name}
        schema={{ ...schema, ...(description !== undefined && { description }) }}
        mark={required ? "required" : null}
        place={place}
      />
    ))}
  </dl>
)

function Field({
  name,
  schema,
  mark,
  place,
  children,
}: {
  name: string
  schema: Schema
  mark: string | null
  /** The place of a parameter: the path, the query or a header. */
  place?: string
  children?: ReactNode
}) {
  const values = valuesOf(schema)
  const about = [place && `in the ${place}`, typeOf(schema), ...limitsOf(schema)].filter(Boolean).join(", ")
  return (
    <div className="py-2">
      <dt className="flex flex-wrap items-baseline gap-x-2">
        <code className="font-medium">{name}</code>
        <span className="text-[13px] text-muted">{about}</span>
        {mark && <span className="text-[13px] text-notice">{mark}</span>}
      </dt>
      <dd>
        {schema.description && <Inline text={schema.description} />}
        {values.length > 0 && (
          <p className="mt-1 text-[13px] text-muted">
            {values.length === 1 ? "Only " : "One of "}
            {values.map((value, index) => (
              <span key={value}>
                {index > 0 && ", "}
                <code>{value}</code>
              </span>
            ))}
          </p>
        )}
        {children}
      </dd>
    </div>
  )
}
