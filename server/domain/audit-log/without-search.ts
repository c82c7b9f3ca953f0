/**
 * A filter as the audit log may keep it. What a member searched for may be a person's external id or wallet, and an
 * entry of the log can never be erased.
 */
export const withoutSearch = <Filter extends { q?: string | undefined }>({ q, ...filter }: Filter) => ({
  ...filter,
  ...(q !== undefined && { q: "(not recorded)" }),
})
