import { OperationPage } from "./operation.tsx"

export default async function Page({ params }: { params: Promise<{ config: string; id: string }> }) {
  const { config, id } = await params
  return <OperationPage config={config} id={id} />
}
