import { useEffect, useRef } from "react"
import { useMutation } from "#app/(dashboard)/workspace.tsx"
import { FormError } from "#app/components/form.tsx"
import { Icon } from "#app/components/icons.tsx"
import { problemOf } from "#app/components/problem.ts"
import { Button } from "#app/components/ui/button.tsx"
import type { IconName } from "#shared/icons.ts"
import type { Check } from "./checks.ts"

const looks = {
  passed: { icon: "check", className: "text-accent", word: "Passed" },
  failed: { icon: "cross", className: "text-danger", word: "Failed" },
  open: { icon: "question", className: "text-muted", word: "Not checked" },
} as const satisfies Record<Check["result"], { icon: IconName; className: string; word: string }>

/** Reads the chain now and compares it with the record, in this browser. */
export function Verification({ id }: { id: string }) {
  const outcome = useRef<HTMLParagraphElement>(null)
  const verify = useMutation(async (api, of: string) => {
    const [state, { checksOf }] = await Promise.all([
      api.attestation.verifyOnChain.query({ id: of }),
      import("./checks.ts"),
    ])
    return checksOf(state)
  })
  const checks = verify.data
  useEffect(() => {
    if (checks) outcome.current?.focus()
  }, [checks])
  return (
    <div className="mt-5 border-t border-line pt-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-[13px] text-muted">Reads the chain now and recomputes the fingerprint in your browser.</p>
        <Button variant="primary" pending={verify.isPending} onClick={() => verify.mutate(id)}>
          Verify
        </Button>
      </div>
      {verify.error && (
        <div className="mt-3">
          <FormError problem={problemOf(verify.error)} />
        </div>
      )}
      {checks && (
        <div className="mt-4">
          <p ref={outcome} tabIndex={-1} className="font-medium">
            {conclusion(checks)}
          </p>
          <ul aria-label="Checks" className="mt-2 space-y-2">
            {checks.map(({ name, result, detail }) => {
              const { icon, className, word } = looks[result]
              return (
                <li key={name} className="flex gap-2.5">
                  <Icon name={icon} className={`mt-0.5 size-4 ${className}`} />
                  <span className="min-w-0">
                    <span className="sr-only">{word}: </span>
                    {name}
                    {detail && <span className="block text-[13px] break-all text-muted">{detail}</span>}
                  </span>
                </li>
              )
            })}
          </ul>
        </div>
      )}
    </div>
  )
}

function conclusion(checks: readonly Check[]): string {
  const failed = checks.filter(({ result }) => result === "failed").length
  if (failed > 0) return failed === 1 ? "One check failed." : `${failed} checks failed.`
  return checks.every(({ result }) => result === "passed")
    ? "Verified: all checks match."
    : "All checks that could run match."
}
