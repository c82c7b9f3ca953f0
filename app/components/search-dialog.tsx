import { Search } from "lucide-react"
import { type ComponentProps, type ReactNode, Suspense, useState } from "react"
import { Dialog } from "#app/components/ui/dialog.tsx"

/** What the dialog gives to its content. */
export type SearchProps = {
  title: string
  placeholder: string
  text: string
  onText: (text: string) => void
}

type SearchDialogProps = Pick<SearchProps, "title" | "placeholder"> & {
  onClose: () => void
  /** The content, which may load. Until then a plain field takes what is typed. */
  children: (search: SearchProps) => ReactNode
}

/** A dialog with a search field, which takes keys from the first moment on. */
export function SearchDialog({ title, placeholder, onClose, children }: SearchDialogProps) {
  const [text, setText] = useState("")
  return (
    <Dialog onClose={onClose} title={title} className="mt-[12dvh]! max-w-xl!">
      <Suspense
        fallback={
          <>
            <SearchField
              aria-label={title}
              placeholder={placeholder}
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
            <p role="status" className="mt-2 text-[13px] text-muted">
              Loading…
            </p>
          </>
        }
      >
        {children({ title, placeholder, text, onText: setText })}
      </Suspense>
    </Dialog>
  )
}

export const SearchField = (props: ComponentProps<"input">) => (
  <div className="relative">
    <Search
      aria-hidden="true"
      className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted"
    />
    <input
      ref={takeOver}
      type="text"
      autoComplete="off"
      spellCheck={false}
      maxLength={200}
      className="h-11 w-full rounded-md border border-field bg-surface pr-3 pl-9 text-base text-ink placeholder:text-muted"
      {...props}
    />
  </div>
)

/** A field that replaces the one being typed into takes the focus, and continues at the end of the text. */
function takeOver(field: HTMLInputElement | null) {
  field?.focus()
  field?.setSelectionRange(field.value.length, field.value.length)
}
