import type { ReactNode } from "react"
import { Cell, type Column, placeOf, roles } from "./data-table.tsx"

/** A row that belongs to the one above, in the same columns. For tables without selection. */
export const SubRow = <Row,>({ columns, row }: { columns: Column<Row>[]; row: Row }) => (
  <tr {...roles.row} className="bg-sunken/50 text-[13px] max-md:pl-8! md:[&>:first-child]:pl-9">
    {columns.map((column, index) => (
      <Cell key={column.header} column={column} row={row} place={placeOf(column, index, row)} href={undefined} />
    ))}
  </tr>
)

/** A line below a row, such as what went wrong with those that belong to it. */
export const SubNote = ({ columns, children }: { columns: number; children: ReactNode }) => (
  <tr {...roles.row} data-group>
    <td
      {...roles.cell}
      colSpan={columns}
      className="block bg-sunken/50 px-4 py-2.5 text-[13px] text-muted md:table-cell md:pl-9"
    >
      {children}
    </td>
  </tr>
)
