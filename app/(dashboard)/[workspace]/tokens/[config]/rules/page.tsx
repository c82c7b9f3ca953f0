import { ChangeToken } from "./change.tsx"

export default async function Page({ params }: { params: Promise<{ config: string }> }) {
  const { config } = await params
  return <ChangeToken id={config} />
}
