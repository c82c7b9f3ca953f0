"use client"

import type { inferRouterOutputs } from "@trpc/server"
import { useCallback, useEffect, useState } from "react"
import { api } from "#app/api.ts"
import { Link } from "#app/components/link.tsx"
import { Badge } from "#app/components/ui/badge.tsx"
import type { AppRouter } from "#server/trpc/router.ts"

export type DocumentedError = inferRouterOutputs<AppRouter>["docs"]["errors"]["data"][number]

/** The error table of this server. */
export function useErrorTable() {
  const [table, setTable] = useState<readonly DocumentedError[] | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const load = useCallback(() => {
    setFailure(null)
    api.docs.errors.query().then(({ data }) => setTable(data), setFailure)
  }, [])
  useEffect(load, [load])
  return { table, failure, load }
}

/** Codes that look like one that does not exist, the likest first. */
export function nearTo(code: string, table: readonly DocumentedError[]): DocumentedError[] {
  const wanted = trigramsOf(code)
  return table
    .map((error) => ({ error, likeness: likeness(wanted, trigramsOf(error.code)) }))
    .filter(({ likeness }) => likeness > 0.2)
    .sort((one, other) => other.likeness - one.likeness)
    .slice(0, 5)
    .map(({ error }) => error)
}

function trigramsOf(code: string): Set<string> {
  const padded = `  ${code.toLowerCase()} `
  return new Set(Array.from({ length: padded.length - 2 }, (_, start) => padded.slice(start, start + 3)))
}

/** Share of what two sets have together that is in both: 1 when they are equal. */
function likeness(one: Set<string>, other: Set<string>): number {
  const both = [...one].filter((trigram) => other.has(trigram)).length
  return both / (one.size + other.size - both)
}

/** Errors, each a link to its page. */
export function ErrorLinks({ errors }: { errors: readonly DocumentedError[] }) {
  return (
    <ul className="divide-y divide-line rounded-xl border border-line bg-surface">
      {errors.map(({ code, title, isDashboardOnly }) => (
        <li key={code}>
          <Link
            href={`/docs/errors/${code}`}
            prefetch={false}
            className="group flex flex-col justify-between gap-x-6 px-4 py-2.5 sm:flex-row sm:items-baseline text-sm hover:bg-sunken"
          >
            <code className="font-mono text-[13px] group-hover:underline">{code}</code>
            <span className="text-muted">
              {title} {isDashboardOnly && <Badge>Dashboard</Badge>}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
