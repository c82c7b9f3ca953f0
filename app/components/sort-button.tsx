import { clsx } from "clsx"
import { ArrowDown, ArrowUp } from "lucide-react"

/** `direction` is null while another column orders the list. */
export type Sort = { direction: "ascending" | "descending" | null; onSort: () => void }

type SortButtonProps = { of: { header: string; align?: "end" }; sort: Sort }

/** A header that orders its list. On a phone, where headers are not shown, it is text for screen readers. */
export function SortButton({ of: { header, align }, sort: { direction, onSort } }: SortButtonProps) {
  const Arrow = direction === "ascending" ? ArrowUp : ArrowDown
  return (
    <>
      <span className="md:hidden">{header}</span>
      <button
        type="button"
        onClick={onSort}
        className={clsx(
          "group -mx-1.5 inline-flex cursor-pointer items-center gap-1 rounded-sm px-1.5 py-1 hover:text-ink max-md:hidden",
          // The arrow is on the side away from the edge that the cells line up with.
          align === "end" && "flex-row-reverse",
          direction !== null && "text-ink",
        )}
      >
        {header}
        <Arrow
          aria-hidden="true"
          className={clsx(
            "size-3.5",
            direction === null && "opacity-0 group-hover:opacity-60 group-focus-visible:opacity-60",
          )}
        />
      </button>
    </>
  )
}
