import type { TokenView } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { ExportCsv } from "#app/(dashboard)/exports.tsx"
import { List, useList } from "#app/(dashboard)/list.tsx"
import { type RouterOutputs, usePath, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { StatusBadge } from "#app/components/badge.tsx"
import { Copyable, useCopy } from "#app/components/code.tsx"
import { actions, type Column } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/frame.tsx"
import { NewTab } from "#app/components/link.tsx"
import { NOTHING, Timestamp } from "#app/components/timestamp.tsx"
import { notify } from "#app/components/toast.ts"
import { Button } from "#app/components/ui/button.tsx"
import { Dialog } from "#app/components/ui/dialog.tsx"
import { MenuItem } from "#app/components/ui/menu.tsx"
import { MenuLink } from "#app/components/ui/menu-link.tsx"
import { MoreMenu } from "#app/components/ui/more-menu.tsx"
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
            trigger={
              <Button variant="primary" className="md:ml-auto">
                Take a snapshot
              </Button>
            }
            title={`Snapshot of ${token.symbol}`}
            description="Records every balance at one moment, and puts the hash of the list on chain."
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
  actions(
    ({ sha256, ...snapshot }) =>
      sha256 !== null && <SnapshotActs snapshot={snapshot} sha256={sha256} distribute={distribute} />,
    "buttons",
  ),
]

type SnapshotActsProps = { snapshot: Omit<Snapshot, "sha256">; sha256: string; distribute: string | null }

function SnapshotActs({ snapshot: { snapshot_id, name, state }, sha256, distribute }: SnapshotActsProps) {
  const { outcome, copy } = useCopy(sha256, () => notify("Hash copied"))
  return (
    <span className="inline-flex flex-wrap items-center justify-end gap-1">
      <ExportCsv list="snapshot" label="Download holders" asked={{ id: snapshot_id }} />
      <MoreMenu label={`Actions for ${name}`}>
        {distribute !== null && state === "ready" && (
          <MenuLink href={`${distribute}?snapshot=${snapshot_id}`}>Create distribution</MenuLink>
        )}
        <MenuItem onSelect={() => void copy()}>Copy hash</MenuItem>
      </MoreMenu>
      {outcome === "refused" && <code className="w-full text-xs break-all">{sha256}</code>}
    </span>
  )
}
