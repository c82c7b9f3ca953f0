import { MenuItem, MenuLabel } from "./menu.tsx"

type ChoicesProps = {
  label: string
  value: string
  onChange: (value: string) => void
  options: readonly (readonly [value: string, content: React.ReactNode])[]
  row?: boolean
}

const IN_ROW =
  "justify-center border border-transparent px-1! py-1! text-[13px] text-muted aria-checked:border-line aria-checked:bg-surface aria-checked:font-medium aria-checked:text-ink aria-checked:shadow-xs pointer-coarse:py-2!"

/** Items of which one is selected, below their label. In a row, they do not close the menu. */
export const MenuChoices = ({ label, value, onChange, options, row = false }: ChoicesProps) => (
  <>
    <MenuLabel>{label}</MenuLabel>
    {/* biome-ignore lint/a11y/useSemanticElements: a menu has no fieldsets */}
    <div
      role="group"
      aria-label={label}
      {...(row && { "data-row": "", className: "mx-2 mb-1.5 flex rounded-lg border border-line bg-sunken p-0.5" })}
    >
      {options.map(([one, content]) => (
        <MenuItem
          key={one}
          role="menuitemradio"
          aria-checked={one === value}
          onSelect={() => onChange(one)}
          {...(row && { className: IN_ROW })}
        >
          {row ? (
            content
          ) : (
            <>
              <span className="min-w-0 flex-1">{content}</span>
              <span aria-hidden="true" className="text-accent">
                {one === value ? "✓" : ""}
              </span>
            </>
          )}
        </MenuItem>
      ))}
    </div>
  </>
)
