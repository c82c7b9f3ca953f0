import type { ReactNode } from "react"
import { Form, Submit } from "#app/components/form.tsx"
import { NO_ANSWER } from "#app/components/problem.ts"

type QuestionProps = {
  title: string
  text?: ReactNode
  /** The button's label: a verb. */
  submit: string
  onSubmit: (values: FormData) => unknown
  children?: ReactNode
}

export const Question = ({ title, text, submit, onSubmit, children }: QuestionProps) => (
  <>
    <Heading title={title}>{text}</Heading>
    <Form unanswered={NO_ANSWER} {...(text === undefined && { className: "mt-6" })} onSubmit={onSubmit}>
      {children}
      <Submit size="lg" className="w-full">
        {submit}
      </Submit>
    </Form>
  </>
)

/** The heading of a sign-in page; it also sets the browser's title. */
export const Heading = ({ title, children }: { title: string; children?: ReactNode }) => (
  <>
    <title>{`${title} · Vouch`}</title>
    <h1 className="text-2xl leading-tight font-semibold tracking-tight">{title}</h1>
    {children && <p className="mt-2 mb-6 text-muted">{children}</p>}
  </>
)

export const linkLook = "text-accent underline underline-offset-4 decoration-1 hover:decoration-2"
