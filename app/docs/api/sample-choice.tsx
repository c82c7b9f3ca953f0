"use client"

import { type ReactNode, useId } from "react"
import { chooseSampleLanguage, useSampleLanguage } from "#app/components/sample-language.ts"

/** The same request in several languages. One choice applies to all samples. Without scripts the first is shown. */
export function Samples({ samples }: { samples: { language: string; sample: ReactNode }[] }) {
  const wanted = useSampleLanguage()
  const id = useId()
  const shown = samples.find(({ language }) => language === wanted) ?? samples[0]!
  return (
    <div>
      {samples.length > 1 && (
        <fieldset className="mb-2 flex gap-1 text-[13px]">
          <legend className="sr-only">Language</legend>
          {samples.map(({ language }) => (
            <label
              key={language}
              className="cursor-pointer rounded-md border border-transparent px-2.5 py-1 text-muted hover:text-ink has-checked:border-line has-checked:bg-surface has-checked:font-medium has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent pointer-coarse:py-2.5"
            >
              <input
                type="radio"
                name={id}
                className="sr-only"
                checked={language === shown.language}
                onChange={() => chooseSampleLanguage(language)}
              />
              {language}
            </label>
          ))}
        </fieldset>
      )}
      {samples.map(({ language, sample }) => (
        <div key={language} hidden={language !== shown.language}>
          {sample}
        </div>
      ))}
    </div>
  )
}
