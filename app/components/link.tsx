"use client"

import module from "next/link.js"

/** Next's link. Its types speak of a default export inside of the module that Node would load; there is none. */
export const Link = module as unknown as typeof module.default
