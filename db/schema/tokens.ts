import { sql } from "drizzle-orm"
import {
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  smallint,
  text,
} from "drizzle-orm/pg-core"
import type { Address } from "#shared/address.ts"
import { schemas } from "./attestations.ts"
import { time } from "./columns.ts"

/** Base units of a token: more than a u64 can hold, as sums of them are kept, too. */
const baseUnits = <Name extends string>(name: Name) =>
  numeric(name, { precision: 39, scale: 0 }).notNull().default("0")

/** What a customer issues: an asset mint, and the rules of who may hold and move it. */
export const mintConfigs = pgTable(
  "mint_configs",
  {
    workspaceId: text("workspace_id").notNull(),
    id: text().notNull(),
    name: text().notNull(),
    symbol: text().notNull(),
    decimals: smallint().notNull(),
    requiredSchema: text("required_schema").notNull(),
    transferMode: text("transfer_mode").notNull(),
    /** As in the API; amounts are decimal strings there. */
    rules: jsonb().notNull(),
    paused: boolean().notNull().default(false),
    /** Address of the asset mint, once an operation to create it is in the ledger. */
    mint: text().$type<Address>(),
    /** The key that the mint obeys; null until there is a mint. */
    authority: text().$type<Address>(),
    /** Whether the mint itself can be paused: it was made in holder mode. */
    pausable: boolean().notNull().default(false),
    /** When the mint was confirmed on chain. */
    mintedAt: time("minted_at"),
    /** Base units that were minted or are about to be: what max_supply bounds. */
    issued: baseUnits("issued"),
    /** Base units that are minted. */
    supply: baseUnits("supply"),
    /** Wallets that hold, or are about to: what max_holders bounds. */
    holders: integer().notNull().default(0),
    /**
     * Cursor of reconciling accounts with changed rules or mode: the last wallet done, empty at first. Null when
     * nothing is to be done.
     */
    alignedUpTo: text("aligned_up_to"),
    /** The same while balances are read back from the chain, after holders could move tokens by themselves. */
    countedUpTo: text("counted_up_to"),
    createdAt: time("created_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    foreignKey({
      columns: [t.workspaceId, t.requiredSchema],
      foreignColumns: [schemas.workspaceId, schemas.id],
    }),
    check("mint_configs_decimals", sql`${t.decimals} between 0 and 9`),
    check("mint_configs_transfer_mode", sql`${t.transferMode} in ('agent', 'holder')`),
    check(
      "mint_configs_counters",
      sql`${t.supply} >= 0 and ${t.issued} >= ${t.supply} and ${t.holders} >= 0`,
    ),
    // Configurations of a wallet's schema, to follow its attestation
    index("mint_configs_schema").on(t.workspaceId, t.requiredSchema).where(sql`transfer_mode = 'holder'`),
    // Accounts to reconcile
    index("mint_configs_aligning")
      .on(t.workspaceId)
      .where(sql`aligned_up_to is not null or counted_up_to is not null`),
  ],
)

/** What a wallet holds of a configuration, and what is on its way, in base units. */
export const holdings = pgTable(
  "holdings",
  {
    workspaceId: text("workspace_id").notNull(),
    mintConfig: text("mint_config").notNull(),
    wallet: text().$type<Address>().notNull(),
    /** What confirmed operations left it with. In holder mode the chain may know better. */
    balance: baseUnits("balance"),
    incoming: baseUnits("incoming"),
    outgoing: baseUnits("outgoing"),
    /** Whether it takes one of the holder slots that `holders` counts. */
    counted: boolean().notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.mintConfig, t.wallet] }),
    foreignKey({
      columns: [t.workspaceId, t.mintConfig],
      foreignColumns: [mintConfigs.workspaceId, mintConfigs.id],
    }),
    check("holdings_in_flight", sql`${t.incoming} >= 0 and ${t.outgoing} >= 0`),
  ],
)
