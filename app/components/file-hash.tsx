import { useRef, useState } from "react"
import { Copyable } from "./code.tsx"
import { FileField } from "./form.tsx"
import { Spinner } from "./icons.tsx"
import { problemOf, Refused } from "./problem.ts"

/** A chosen file. Its hash is null while it is computed or if that failed. */
type Hashed = { name: string; hash: string | null; problem: string | null }

/** SHA-256 in base64url. The browser computes it outside the page's thread. */
async function hashOf(file: File): Promise<string> {
  // Browsers offer it over HTTPS and on localhost only.
  if (!globalThis.crypto.subtle) throw new Refused("Your browser hashes files only on pages with HTTPS.")
  const bytes = await file.arrayBuffer().catch(() => {
    throw new Refused("The file could not be read. It may be too large, or have changed.")
  })
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
  return btoa(String.fromCharCode(...digest))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")
}

export function useFileHash() {
  const [hashed, setHashed] = useState<Hashed | null>(null)
  const latest = useRef<File | undefined>(undefined)
  async function choose(file: File | undefined) {
    latest.current = file
    if (!file) return setHashed(null)
    const of = { name: file.name, hash: null, problem: null }
    setHashed(of)
    const outcome = await hashOf(file).then(
      (hash) => ({ ...of, hash }),
      (error) => ({ ...of, problem: problemOf(error).detail }),
    )
    // Another file may have been chosen in the meantime.
    if (latest.current === file) setHashed(outcome)
  }
  return { hashed, choose }
}

type FileHashFieldProps = {
  name: string
  label: string
  hint: string
  required?: boolean
  hashed: Hashed | null
  onChoose: (file: File | undefined) => void
}

/** Asks for a file and shows its hash. The file stays in the browser. */
export const FileHashField = ({ hashed, onChoose, hint, ...field }: FileHashFieldProps) => (
  <div>
    <FileField
      {...field}
      hint={`${hint} The file stays on this device: only its hash is used.`}
      error={hashed?.problem ?? undefined}
      onChange={({ target }) => onChoose(target.files?.[0])}
    />
    <div role="status" className="mt-1.5 text-[13px]">
      {hashed && hashed.problem === null && <Outcome of={hashed} />}
    </div>
  </div>
)

function Outcome({ of: { name, hash } }: { of: Hashed }) {
  if (hash === null) {
    return (
      <span className="flex items-center gap-2 text-muted">
        <Spinner className="size-4" />
        <span className="min-w-0 wrap-anywhere">Hashing {name}</span>
      </span>
    )
  }
  return (
    <>
      <span className="wrap-anywhere text-muted">SHA-256 of {name}</span>{" "}
      <Copyable value={hash} what="hash" compact whole />
    </>
  )
}
