import { type ReactNode, useId } from "react"
import { Icon } from "#app/components/icons.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Input, Label } from "#app/components/ui/input.tsx"
import { Popover } from "#app/components/ui/menu.tsx"

type PopoverFieldProps = {
  label: string
  /** What is chosen, in words. */
  value: string
  className: string
  children: (close: () => void) => ReactNode
}

/** A filter that shows its value, and opens the controls that change it. */
export function PopoverField({ label, value, className, children }: PopoverFieldProps) {
  const id = useId()
  return (
    <div className={className}>
      <Label id={`${id}label`} htmlFor={id} className="mb-1 text-xs! text-muted">
        {label}
      </Label>
      <Popover
        label={label}
        className="w-64"
        trigger={
          <Button
            id={id}
            aria-labelledby={`${id}label ${id}value`}
            className="w-full justify-between! border-field! px-3! font-normal! pointer-coarse:h-11"
          >
            <span id={`${id}value`} className="truncate">
              {value}
            </span>
            <Icon name="chevron" className="text-muted" />
          </Button>
        }
      >
        {children}
      </Popover>
    </div>
  )
}

type PresetProps = { isChosen: boolean; onChoose: () => void; children: ReactNode }

/** One of the usual values of a field. */
export const Preset = ({ isChosen, onChoose, children }: PresetProps) => (
  <Button
    size="sm"
    aria-pressed={isChosen}
    className="aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent"
    onClick={onChoose}
  >
    {children}
  </Button>
)

type DayProps = { label: string; value: string | null; max?: string; onChange: (value: string | null) => void }

/** A day or, with `type`, a time of the day. */
export function Day({ label, value, onChange, type = "date", ...props }: DayProps & { type?: "date" | "time" }) {
  const id = useId()
  return (
    <div className="flex items-center gap-3">
      <Label htmlFor={id} className="w-12">
        {label}
      </Label>
      <Input
        id={id}
        type={type}
        {...(type === "time" && { step: 1 })}
        {...props}
        value={value ?? ""}
        onChange={({ target }) => onChange(target.value || null)}
      />
    </div>
  )
}

/** Such as `3 Nov`, with the year unless it is this one. A text that is no day stays. */
export function shortDay(day: string): string {
  const time = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(time.getTime())) return day
  const isThisYear = time.getUTCFullYear() === new Date().getUTCFullYear()
  return new Intl.DateTimeFormat("en-GB", {
    ...{ day: "numeric", month: "short", timeZone: "UTC" },
    ...(!isThisYear && { year: "numeric" }),
  }).format(time)
}
