import type {
  AdapterFactoryCustomizeAdapterCreator,
  AdapterFactoryOptions,
  CleanedWhere,
  DBAdapterInstance,
  DBTransactionAdapter,
  WhereOperator,
} from "better-auth/adapters"
import type { Queryable, Sql } from "#db/client.ts"

/** Operators in Postgres' syntax. better-auth has others, but does not use them for our tables, so they are refused. */
const operators: Partial<Record<WhereOperator, string>> = {
  eq: "=",
  ne: "<>",
  lt: "<",
  lte: "<=",
  gt: ">",
  gte: ">=",
}

/**
 * How better-auth reads and writes its tables: with prepared statements, on the same connections as everything else.
 * better-auth's Drizzle adapter would load 80 MB and change the type parsers of every client that it gets.
 */
export async function authTables(database: Sql): Promise<DBAdapterInstance> {
  const { createAdapterFactory } = await import("better-auth/adapters")
  const config: AdapterFactoryOptions["config"] = {
    adapterId: "vouch",
    supportsArrays: true,
    supportsJSON: true,
  }
  return (options) => {
    const transaction = <R>(work: (transaction: DBTransactionAdapter) => Promise<R>): Promise<R> =>
      database.begin((sql) => work(createAdapterFactory({ config, adapter: statements(sql) })(options)))
    return createAdapterFactory({ config: { ...config, transaction }, adapter: statements(database) })(options)
  }
}

/** Names come from the options in `auth.ts`. better-auth translates them, except in lists of columns and in orders. */
const statements =
  (sql: Queryable): AdapterFactoryCustomizeAdapterCreator =>
  ({ getFieldName }) => {
    const first = async <T>(rows: PromiseLike<Iterable<unknown>>): Promise<T | null> =>
      ([...(await rows)][0] as T | undefined) ?? null
    const given = (data: object) => sql(withoutUndefined(data))
    const columnOf = (model: string, field: string) => sql(getFieldName({ model, field }))
    const columns = (model: string, select: string[] = []) =>
      select.length === 0
        ? sql`*`
        : select.map((field) => sql`${columnOf(model, field)}`).reduce((a, b) => sql`${a}, ${b}`)

    function matches(where: readonly CleanedWhere[] = []) {
      const [all, any] = [
        where.filter(({ connector }) => connector === "AND"),
        where.filter(({ connector }) => connector === "OR"),
      ]
      const both = all.map(condition)
      if (any.length > 0) both.push(sql`(${any.map(condition).reduce((a, b) => sql`${a} or ${b}`)})`)
      return both.reduce((a, b) => sql`${a} and ${b}`, sql`true`)
    }

    function condition({ field, operator, value, mode }: CleanedWhere) {
      const column = sql(field)
      if (mode === "sensitive") {
        if (operator === "in") return sql`${column} = any(${value as string[]})`
        if (value === null && operator === "eq") return sql`${column} is null`
        if (value === null && operator === "ne") return sql`${column} is not null`
        const written = operators[operator ?? "eq"]
        if (written) return sql`${column} ${sql.unsafe(written)} ${value as string}`
      }
      throw new Error(`better-auth asks for ${field} by ${operator}, ${mode}: add it here`)
    }

    /** The single row that an atomic change returns. */
    const one = (model: string, where: readonly CleanedWhere[]) =>
      sql`id = (select id from ${sql(model)} where ${matches(where)} limit 1) and ${matches(where)}`

    return {
      create: async ({ model, data }) => (await first(sql`insert into ${sql(model)} ${given(data)} returning *`))!,
      findOne: ({ model, where, select }) =>
        first(sql`select ${columns(model, select)} from ${sql(model)} where ${matches(where)} limit 1`),
      findMany: async <T>({ model, where, select, sortBy, limit, offset = 0 }: FindMany) => {
        const order = sortBy
          ? sql`order by ${columnOf(model, sortBy.field)} ${sortBy.direction === "desc" ? sql`desc` : sql`asc`}`
          : sql``
        const rows = await sql`
          select ${columns(model, select)} from ${sql(model)} where ${matches(where)} ${order} limit ${limit} offset ${offset}`
        return [...rows] as T[]
      },
      count: async ({ model, where }) => {
        const [row] = await sql<{ count: number }[]>`
          select count(*)::int from ${sql(model)} where ${matches(where)}`
        return row!.count
      },
      update: ({ model, where, update }) =>
        first(sql`update ${sql(model)} set ${given(update as object)} where ${matches(where)} returning *`),
      updateMany: async ({ model, where, update }) =>
        (await sql`update ${sql(model)} set ${given(update)} where ${matches(where)}`).count,
      delete: async ({ model, where }) => {
        await sql`delete from ${sql(model)} where ${matches(where)}`
      },
      deleteMany: async ({ model, where }) => (await sql`delete from ${sql(model)} where ${matches(where)}`).count,
      consumeOne: ({ model, where }) => first(sql`delete from ${sql(model)} where ${one(model, where)} returning *`),
      incrementOne: ({ model, where, increment, set = {} }) => {
        const changes = [
          ...Object.entries(increment).map(([field, by]) => sql`${sql(field)} = ${sql(field)} + ${by}`),
          ...Object.entries(withoutUndefined(set)).map(([field, value]) => sql`${sql(field)} = ${value}`),
        ]
        const all = changes.reduce((a, b) => sql`${a}, ${b}`)
        return first(sql`update ${sql(model)} set ${all} where ${one(model, where)} returning *`)
      },
    }
  }

type FindMany = Parameters<ReturnType<AdapterFactoryCustomizeAdapterCreator>["findMany"]>[0]

const withoutUndefined = (data: object): Record<string, string> =>
  Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined))
