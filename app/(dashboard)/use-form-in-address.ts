import { parseAsString, useQueryStates } from "nuqs"
import { useEffect, useState } from "react"

type FormInAddress = {
  isOpen: boolean
  setOpen: (isOpen: boolean) => void
  /** The wallet that the address names for the open form. */
  wallet: string | null
}

/**
 * A form that the page's address can ask for, as actions of the search do. The request is taken out of the address at
 * once: a change when the form closes would cancel opening another page.
 */
export function useFormInAddress(name: string): FormInAddress {
  const [{ form, wallet }, setAsked] = useQueryStates({ form: parseAsString, wallet: parseAsString })
  const [opened, setOpened] = useState<{ wallet: string | null } | null>(null)
  useEffect(() => {
    if (form !== name) return
    setOpened({ wallet })
    void setAsked({ form: null, wallet: null })
  }, [form, name, wallet, setAsked])
  return {
    isOpen: opened !== null,
    setOpen: (isOpen) => setOpened(isOpen ? { wallet: null } : null),
    wallet: opened?.wallet ?? null,
  }
}
