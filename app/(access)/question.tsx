import type { ReactNode } from "react"
import { Form, Submit } from "#app/components/form.tsx"
import { Heading } from "./heading.tsx"

/** What a page of signing in asks: what it is about, its fields, and the button that answers. */
export function Question({
  title,
  text,
  submit,
  onSubmit,
  children,
}: {
  title: string
  text?: ReactNode
  /** What the button says: a verb. */
  submit: string
  onSubmit: (values: FormData) => unknown
  children?: ReactNode
}) {
  return (
    <>
      <Heading title={title}>{text}</Heading>
      <Form {...(text === undefined && { className: "mt-6" })} onSubmit={onSubmit}>
        {children}
        <Submit size="lg" className="w-full">
          {submit}
        </Submit>
      </Form>
    </>
  )
}
