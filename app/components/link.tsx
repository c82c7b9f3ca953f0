import module from "next/link.js"

/** Next's link. Its types declare a nested default export, which does not exist at run time. */
export const Link = module as unknown as typeof module.default
