import type { ReactNode } from "react"
import { ShellVariables } from "#app/docs/shell-variables.tsx"
import { Inline, Markdown } from "#app/docs/text.tsx"
import type { Parameter, Schema } from "#server/rest/openapi/types.ts"
import {
  type Endpoint,
  errorCodesOf,
  exampleOf,
  fieldsOf,
  limitsOf,
  type Tag,
  typeOf,
  valuesOf,
  variantsOf,
} from "./openapi.ts"
import { Samples } from "./sample-choice.tsx"
import { argumentsOf, bodyOf, samplesOf } from "./samples.ts"
import { TryIt } from "./try-it.tsx"

/** How deep objects are shown. Deeper ones have their own page, or are in the example. */
const DEEPEST = 3

/** The fields of a body. Nested fields are collapsed. */
function Fields({ schema, isRequest, depth = 0 }: { schema: Schema; isRequest: boolean; depth?: number }) {
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

type VariantsProps = { variants: { types: string[]; schema: Schema }[]; isRequest: boolean; depth: number }

const Variants = ({ variants, isRequest, depth }: VariantsProps) => (
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

const Parameters = ({ parameters }: { parameters: Parameter[] }) => (
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

type FieldProps = {
  name: string
  schema: Schema
  mark: string | null
  /** The place of a parameter: the path, the query or a header. */
  place?: string
  children?: ReactNode
}

function Field({ name, schema, mark, place, children }: FieldProps) {
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

/** The names of the languages in Markdown code blocks. */
const fences = { curl: "sh", TypeScript: "ts", Python: "python" } as const

/** An endpoint's request in several languages, a form to send it, and what a success looks like. */
export function EndpointExamples({ tag, endpoint }: { tag: Tag; endpoint: Endpoint }) {
  const { method, path, summary, parameters } = endpoint
  const example = exampleOf(endpoint)
  return (
    <div className="space-y-6 text-sm">
      <Samples
        samples={samplesOf(tag, endpoint).map(({ language, code }) => ({
          language,
          sample: (
            <>
              <Markdown text={`\`\`\`${fences[language]}\n${code}\n\`\`\``} />
              {language === "curl" && endpoint.access === "key" && (
                <details className="mt-2">
                  <summary className="cursor-pointer py-1 text-[13px] text-accent">Set KEY and VOUCH first</summary>
                  <ShellVariables />
                </details>
              )}
            </>
          ),
        }))}
      />
      {endpoint.access !== "signature" && (
        <TryIt
          method={method}
          path={path}
          takesKey={endpoint.access === "key"}
          isIdempotent={parameters.some(({ name }) => name === "Idempotency-Key")}
          parameters={parametersToTry(endpoint)}
          body={bodyOf(endpoint) === null ? null : JSON.stringify(bodyOf(endpoint), null, 2)}
          name={summary}
        />
      )}
      {example && (
        <Part title={`Response ${example.status}`}>
          <Markdown text={`\`\`\`json\n${JSON.stringify(example.value, null, 2)}\n\`\`\``} />
        </Part>
      )}
    </div>
  )
}

/** The parameters and the fields of the body and the response of an endpoint, and its statuses. */
export function EndpointParts({ endpoint }: { endpoint: Endpoint }) {
  const { parameters, body } = endpoint
  const schema = successOf(endpoint)
  return (
    <div className="space-y-6 text-sm">
      {parameters.length > 0 && (
        <Part title="Parameters">
          <Parameters parameters={parameters} />
        </Part>
      )}
      {body && (
        <Part title="Body">
          <Fields schema={body.schema} isRequest />
        </Part>
      )}
      <Part title="Response">
        {schema && (
          <details>
            <summary className="cursor-pointer py-1 text-[13px] text-accent">Fields of the response</summary>
            <div className="border-l border-line pl-4">
              <Fields schema={schema} isRequest={false} />
            </div>
          </details>
        )}
        <Statuses endpoint={endpoint} />
      </Part>
    </div>
  )
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <div>
    <h2 className="mb-1 text-base font-semibold">{title}</h2>
    {children}
  </div>
)

const successOf = ({ responses }: Endpoint): Schema | null =>
  Object.values(responses.find(({ status }) => status.startsWith("2"))?.response.content ?? {})[0]?.schema ?? null

/** Path and query parameters. Optional ones of the query are empty. */
const parametersToTry = (endpoint: Endpoint) => {
  const given = new Map(argumentsOf(endpoint).map(({ name, value }) => [name, value]))
  return endpoint.parameters
    .filter(({ in: place }) => place !== "header")
    .map(({ name, in: place, required }) => ({
      name,
      place: place as "path" | "query",
      isRequired: required === true,
      example: given.get(name) ?? "",
    }))
}

/** Each status with its error codes. */
const Statuses = ({ endpoint: { responses } }: { endpoint: Endpoint }) => (
  <dl className="mt-3 grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1.5">
    {responses.map(({ status, response }) => {
      const codes = errorCodesOf(response)
      return (
        <div key={status} className="contents">
          <dt className="font-mono text-[13px]">{status}</dt>
          <dd className="text-[13px] text-muted">
            {codes.length === 0 ? (
              <Inline text={response.description.split("\n")[0]!.replace(/^- /, "")} />
            ) : (
              codes.map((code, index) => (
                <span key={code}>
                  {index > 0 && ", "}
                  <a href={`/docs/errors/${code}`} className="underline underline-offset-2 hover:text-ink">
                    <code>{code}</code>
                  </a>
                </span>
              ))
            )}
          </dd>
        </div>
      )
    })}
  </dl>
)
