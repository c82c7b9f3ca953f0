import { parseAsString, useQueryStates } from "nuqs"
import { useEffect, useState } from "react"

type FormInAddress = {
  isOpen: boolean
  setOpen: (isOpen: boolean) => void
  /** The wallet or the API key that the address names for the open form. */
  wallet: string | null
  key: string | null
}

const asked = { form: parseAsString, wallet: parseAsString, key: parseAsString }

/**
 * A form that the page's address can ask for, as actions of the search do. The request is taken out of the address at
 * once: a change when the form closes would cancel opening another page.
 */
export function useFormInAddress(name: string): FormInAddress {
  const [{ form, wallet, key }, setAsked] = useQueryStates(asked)
  const [opened, setOpened] = useState<Pick<FormInAddress, "wallet" | "key"> | null>(null)
  useEffect(() => {
    if (form !== name) return
    setOpened({ wallet, key })
    void setAsked({ form: null, wallet: null, key: null })
  }, [form, name, wallet, key, setAsked])
  return {
    isOpen: opened !== null,
    setOpen: (isOpen) => setOpened(isOpen ? { wallet: null, key: null } : null),
    wallet: opened?.wallet ?? null,
    key: opened?.key ?? null,
  }
}
