import { type ClassValue, clsx } from "clsx"
import { twMerge } from "tailwind-merge"

/** Classes, of which a later one replaces an earlier one that says the same thing differently. */
export const cn = (...classes: ClassValue[]): string => twMerge(clsx(classes))
