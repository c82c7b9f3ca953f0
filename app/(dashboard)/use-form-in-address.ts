import { parseAsString, useQueryState } from "nuqs"

/** Whether the page's address asks for a form, as actions of the search do, and a function that opens or closes it. */
export function useFormInAddress(name: string): [isOpen: boolean, setOpen: (isOpen: boolean) => void] {
  const [form, setForm] = useQueryState("form", parseAsString)
  return [form === name, (isOpen) => void setForm(isOpen ? name : null)]
}
