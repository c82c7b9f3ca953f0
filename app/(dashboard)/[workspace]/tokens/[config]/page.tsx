import { TokenPage } from "./token.tsx"

export default async function Page({ params }: { params: Promise<{ config: string }> }) {
  const { config } = await params
  return <TokenPage id={config} />
}
