import { clsx } from "clsx"
import { useParams } from "next/navigation.js"
import { createContext, use, useEffect, useId, useRef, useState } from "react"
import { Icon } from "./icons.tsx"
import { Link } from "./link.tsx"
import { fieldsIn, isUnanswered, type Problem, problemOf } from "./problem.ts"
import { useIsReady } from "./store.ts"
import { Button, type ButtonProps } from "./ui/button.tsx"
import { ControlContext, FileInput, Input, Label, Select, Textarea } from "./ui/input.tsx"

type Problems = Record<string, string | undefined>

const FormContext = createContext<{
  problems: Problems
  isPending: boolean
  /** Increases with each refusal, so that screen readers read the same text again. */
  refusals: number
  /** Removes a field's problem, because its value has changed. */
  forget: (name: string) => void
}>({ problems: {}, isPending: false, refusals: 0, forget: () => {} })

/** The problems that `Field` and `FieldGroup` show. */
const INVALID = "[aria-invalid=true], fieldset[data-invalid] :is(input, select, textarea)"

const MAY_BE_DONE = "No answer arrived, so this may have been done. Look at the page before you try again."

/**
 * A form that submits once at a time. Errors of `check` or the server appear at the field they name (the server's
 * detail begins with the field's name), all others above the buttons. They get the focus. Entered values stay.
 */
export function Form({
  onSubmit,
  check,
  unanswered = MAY_BE_DONE,
  className,
  children,
  ...props
}: Omit<React.ComponentProps<"form">, "onSubmit"> & {
  /** Its errors are shown in words. */
  onSubmit: (values: FormData) => unknown
  /** What it says if no answer arrives. */
  unanswered?: string
  /** Checks that only this form can make: field name → what to do. */
  check?: (values: FormData) => Problems
}) {
  const form = useRef<HTMLFormElement>(null)
  const failureRef = useRef<HTMLDivElement>(null)
  const [problems, setProblems] = useState<Problems>({})
  const [failure, setFailure] = useState<Problem | null>(null)
  const [isPending, setPending] = useState(false)
  const [refusals, setRefusals] = useState(0)
  // State changes with the next render, and a second click may come before that.
  const sending = useRef(false)

  useEffect(() => {
    if (refusals === 0) return
    const invalid = form.current?.querySelector<HTMLElement>(INVALID)
    // What is folded cannot take the focus.
    const fold = invalid?.closest("details")
    if (fold) fold.open = true
    ;(invalid ?? failureRef.current)?.focus()
  }, [refusals])

  async function submit(event: React.FormEvent<HTMLFormElement>) {
    event.preventDefault()
    // To React, a dialog is inside its page's form, though not to the browser.
    event.stopPropagation()
    if (sending.current) return
    const element = event.currentTarget
    const values = new FormData(element)
    const found = { ...missing(element), ...check?.(values) }
    setProblems(found)
    setFailure(null)
    if (Object.values(found).some(Boolean)) return setRefusals((count) => count + 1)
    sending.current = true
    setPending(true)
    try {
      await onSubmit(values)
    } catch (error) {
      const problem = isUnanswered(error) ? { ...problemOf(error), detail: unanswered } : problemOf(error)
      const atFields = fieldsIn(problem.detail).filter(([name]) => element.elements.namedItem(name))
      if (atFields.length > 0) setProblems(Object.fromEntries(atFields))
      else setFailure(problem)
      setRefusals((count) => count + 1)
    } finally {
      sending.current = false
      setPending(false)
    }
  }

  function forget(name: string) {
    if (problems[name]) setProblems(({ [name]: _, ...others }) => others)
  }

  return (
    <FormContext value={{ problems, isPending, refusals, forget }}>
      <form
        ref={form}
        // If a browser ever submits the form itself, the values must not be in the address.
        method="post"
        noValidate
        aria-busy={isPending}
        {...props}
        onSubmit={submit}
        onInput={({ target }) => forget((target as HTMLInputElement).name)}
        className={clsx("space-y-4", className)}
      >
        {failure && <FormError ref={failureRef} problem={failure} />}
        {children}
      </form>
    </FormContext>
  )
}

/** Removes a field's problem once a control without an `input` event has changed its value. */
export const useForget = (): ((name: string) => void) => use(FormContext).forget

/** Keeps a form from being submitted while something is entered in a control that was not added to its list. */
export function useLeftover<Control extends HTMLInputElement | HTMLSelectElement>(isLeft: boolean) {
  const control = useRef<Control>(null)
  useEffect(() => control.current?.setCustomValidity(isLeft ? "Add it to the list, or remove it." : ""), [isLeft])
  return control
}

/** Problems that the browser or a control finds, in our words. */
function missing(form: HTMLFormElement): Problems {
  const problems: Problems = {}
  for (const element of form.elements) {
    const { name, validity, validationMessage, minLength } = element as HTMLInputElement
    if (!name || !validity || validity.valid) continue
    if (validity.customError) problems[name] = validationMessage
    else if (validity.valueMissing) problems[name] = "Required"
    else if (validity.typeMismatch) problems[name] = "Incomplete or mistyped."
    else if (validity.tooShort) problems[name] = `Enter at least ${minLength} characters.`
    else problems[name] = "Not valid."
  }
  return problems
}

/**
 * An error that does not belong to one field, or what a request waits for. Takes the focus, so that screen readers read
 * it.
 */
export const FormError = ({ problem, ref }: { problem: Problem; ref?: React.Ref<HTMLDivElement> }) => {
  const { detail, requestId, approvalId } = problem
  return (
    <div
      ref={ref}
      role="alert"
      tabIndex={-1}
      className={clsx(
        "flex gap-2.5 rounded-lg px-3 py-2.5 text-sm",
        approvalId === undefined ? "bg-danger-soft text-danger" : "bg-notice-soft text-ink",
      )}
    >
      <Icon name={approvalId === undefined ? "alert" : "clock"} className="mt-0.5 size-4" />
      <div className="min-w-0">
        <p>{detail}</p>
        {approvalId && <ApprovalLink id={approvalId} />}
        {requestId && <p className="mt-0.5 font-mono text-xs">{requestId}</p>}
      </div>
    </div>
  )
}

function ApprovalLink({ id }: { id: string }) {
  const { workspace } = useParams<{ workspace: string }>()
  return (
    <Link href={`/${workspace}/approvals/${id}`} prefetch={false} className="text-accent hover:underline">
      Open the request
    </Link>
  )
}

type Children = { children: React.ReactNode }
type FieldProps = {
  label: React.ReactNode
  /** The control's name in the form. The server's messages begin with it. */
  name: string
  hint?: React.ReactNode
  /** The problem, if there is no `Form` around it. */
  error?: string | undefined
  required?: boolean | undefined
  /** Shown next to the label, such as a link to reset the password. */
  aside?: React.ReactNode
}

/** A control with its label, hint and problem, which the control reads from it. */
export function Field({ label, name, hint, error, required, aside, children }: FieldProps & Children) {
  const id = useId()
  const problem = use(FormContext).problems[name] ?? error
  const described = describedBy(id, problem, hint)
  return (
    <div className="min-w-0 flex-1">
      <div className="mb-1.5 flex items-baseline justify-between gap-3">
        <Label htmlFor={id}>{label}</Label>
        {aside && <span className="text-[13px]">{aside}</span>}
      </div>
      <ControlContext
        value={{ id, name, required, "aria-describedby": described, "aria-invalid": problem ? true : undefined }}
      >
        {children}
      </ControlContext>
      {problem && (
        <p id={`${id}-problem`} className="mt-1.5 text-[13px] text-danger">
          {problem}
        </p>
      )}
      {hint && (
        <p id={`${id}-hint`} className="mt-1.5 text-[13px] text-muted">
          {hint}
        </p>
      )}
    </div>
  )
}

const describedBy = (id: string, problem: unknown, hint: unknown): string | undefined =>
  [problem && `${id}-problem`, hint && `${id}-hint`].filter(Boolean).join(" ") || undefined

/** A field with one of the usual controls, which gets all other attributes. */
const withField =
  <Props extends object>(Control: (props: Props) => React.ReactNode) =>
  ({ label, name, hint, error, required, aside, ...props }: FieldProps & Omit<Props, keyof FieldProps>) => (
    <Field {...{ label, name, hint, error, required, aside }}>
      <Control {...(props as unknown as Props)} />
    </Field>
  )

export const TextField = withField(Input)
export const FileField = withField(FileInput)
export const TextareaField = withField(Textarea)
export const SelectField = withField(Select)

const GroupContext = createContext<string | undefined>(undefined)

type FieldGroupProps = {
  legend: React.ReactNode
  /** The controls' name in the form. The server's messages about the group begin with it. */
  name: string
  children: React.ReactNode
}

/** Several controls that answer one question, such as a list of checkboxes with their own labels. */
export function FieldGroup({ legend, name, children }: FieldGroupProps) {
  const id = useId()
  const { problems, refusals } = use(FormContext)
  const problem = problems[name]
  return (
    <fieldset
      className="min-w-0"
      data-invalid={problem ? "" : undefined}
      aria-describedby={describedBy(id, problem, null)}
    >
      <legend className="mb-1.5 text-[13px] font-medium">{legend}</legend>
      <GroupContext value={name}>{children}</GroupContext>
      {problem && (
        <p key={refusals} id={`${id}-problem`} role="alert" className="mt-1.5 text-[13px] text-danger">
          {problem}
        </p>
      )}
    </fieldset>
  )
}

/** A button that sets the whole group, such as "All". */
export function GroupButton({ onClick, ...props }: ButtonProps) {
  const { forget } = use(FormContext)
  const name = use(GroupContext)
  return (
    <Button
      variant="link"
      className="text-[13px]!"
      {...props}
      onClick={(event) => {
        if (name !== undefined) forget(name)
        onClick?.(event)
      }}
    />
  )
}

/** Submits the form around it, and shows progress. */
export function Submit({ variant = "primary", disabled = false, children, ...props }: ButtonProps) {
  const { isPending } = use(FormContext)
  // Before React runs, the browser itself would submit the form and lose the entered values.
  const isReady = useIsReady()
  return (
    <Button {...props} type="submit" variant={variant} pending={isPending} disabled={disabled || !isReady}>
      {children}
    </Button>
  )
}
