import type { TokenView } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { ExportCsv } from "#app/(dashboard)/exports.tsx"
import { List, useList } from "#app/(dashboard)/list.tsx"
import { type RouterOutputs, usePath, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { StatusBadge } from "#app/components/badge.tsx"
import { Copyable } from "#app/components/code.tsx"
import type { Column } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/frame.tsx"
import { Link, NewTab } from "#app/components/link.tsx"
import { NOTHING, Timestamp } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Dialog } from "#app/components/ui/dialog.tsx"
import { grouped } from "#shared/amount.ts"
import { TakeSnapshot } from "./take-snapshot.tsx"

type Snapshot = RouterOutputs["snapshot"]["list"]["data"][number]

/** Whether its holders are known and their hash is on chain. */
const isAtRest = ({ state, anchor_tx }: Snapshot): boolean =>
  state === "failed" || (state === "ready" && anchor_tx !== null)

/** A token's snapshots, newest first. */
export function Snapshots({ token }: { token: TokenView }) {
  const { can } = useWorkspace()
  const path = usePath()
  const list = useList("snapshot.list", { input: { mint_config: token.id, limit: 20 }, isAtRest })
  return (
    <List
      list={list}
      caption="Snapshots"
      exports="snapshots"
      columns={columnsOf(token, can("distribution:write") ? path("distributions", "new") : null)}
      rowKey={({ snapshot_id }) => snapshot_id}
      empty={<Empty title="No snapshots">A snapshot fixes who held the token on a record date.</Empty>}
      afterFilters={
        can("register:write") && (
          <Dialog
            kind="right"
            trigger={<Button>Take a snapshot</Button>}
            title={`Snapshot of ${token.symbol}`}
            description="Fixes who holds the token at the end of a second, and puts the hash of the list on chain."
          >
            {(close) => <TakeSnapshot token={token} onDone={close} />}
          </Dialog>
        )
      }
    />
  )
}

/** `distribute` is the page that pays the holders in a snapshot; null if the member may not. */
const columnsOf = ({ explorer }: TokenView, distribute: string | null): Column<Snapshot>[] => [
  {
    header: "Snapshot",
    breaks: true,
    cell: ({ name }) => name,
    note: ({ record_at, complete }) => (
      <>
        <Timestamp at={record_at} />
        {complete === false && <span className="block">Holders’ own transfers may be missing</span>}
      </>
    ),
  },
  { header: "State", phone: "value", cell: ({ state }) => <StatusBadge status={state} /> },
  {
    header: "Holders",
    align: "end",
    phone: "labelled",
    cell: ({ holders }) => (holders === null ? NOTHING : grouped(String(holders))),
    note: ({ supply }) => supply !== null && `${grouped(supply)} tokens`,
  },
  {
    header: "Hash on chain",
    phone: "none",
    cell: ({ sha256, anchor_tx }) =>
      sha256 === null ? (
        NOTHING
      ) : (
        <>
          <Copyable value={sha256} what="SHA-256" compact />
          {anchor_tx !== null && explorer !== null && (
            <NewTab
              href={explorer.replace("{}", `tx/${anchor_tx}`)}
              className="block text-xs text-accent underline-offset-4 hover:underline"
            >
              Explorer
            </NewTab>
          )}
        </>
      ),
  },
  {
    header: "File",
    align: "end",
    phone: "buttons",
    cell: ({ snapshot_id, sha256, state }) =>
      sha256 === null ? (
        NOTHING
      ) : (
        <>
          <ExportCsv list="snapshot" asked={{ id: snapshot_id }} />
          {distribute !== null && state === "ready" && (
            <Link
              href={`${distribute}?snapshot=${snapshot_id}`}
              prefetch={false}
              className="mt-1 block text-xs whitespace-nowrap text-accent underline-offset-4 hover:underline"
            >
              Create distribution
            </Link>
          )}
        </>
      ),
  },
]
