import { useQuery } from "./workspace.tsx"

/** The workspace's schemas. Empty until they are loaded. */
export const useSchemas = () => useQuery("schema.list", {}).data?.data ?? []

/** A schema by its name, with the id on hover. Until the names are loaded, its place is kept. */
export function SchemaName({ id }: { id: string }) {
  const { data, error } = useQuery("schema.list", {})
  const name = data?.data.find((schema) => schema.id === id)?.name ?? id
  return (
    <span title={id} className={data || error ? undefined : "invisible"}>
      {name}
    </span>
  )
}
