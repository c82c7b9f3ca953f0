import { parseAsString, useQueryState } from "nuqs"
import { useEffect, useState } from "react"

/**
 * Whether a form is open, and a function that opens or closes it. The page's address can ask for it, as actions of the
 * search do. It is taken out of the address at once: a change when the form closes would cancel opening another page.
 */
export function useFormInAddress(name: string): [isOpen: boolean, setOpen: (isOpen: boolean) => void] {
  const [form, setForm] = useQueryState("form", parseAsString)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (form !== name) return
    setOpen(true)
    void setForm(null)
  }, [form, name, setForm])
  return [isOpen, setOpen]
}
