import type { ReactNode } from "react"
import { Form, Submit } from "#app/components/form.tsx"
import { Heading } from "./heading.tsx"

/** A form on a sign-in page: a title, its fields and a button. */
export function Question({
  title,
  text,
  submit,
  onSubmit,
  children,
}: {
  title: string
  text?: ReactNode
  /** The button's label: a verb. */
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
