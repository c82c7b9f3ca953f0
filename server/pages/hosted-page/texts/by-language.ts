import type { Language } from "#shared/languages.ts"
import { ar } from "./ar.ts"
import { de } from "./de.ts"
import { en } from "./en.ts"
import { es } from "./es.ts"
import { fr } from "./fr.ts"
import { ja } from "./ja.ts"
import { pt } from "./pt.ts"
import type { Texts } from "./texts.ts"

/** A missing language or text does not compile. */
export const textsByLanguage = { en, es, de, fr, pt, ja, ar } as const satisfies Record<Language, Texts>
