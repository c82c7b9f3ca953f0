import { ErrorPage } from "./error-page.tsx"

export default async function Page({ params }: { params: Promise<{ code: string }> }) {
  const { code } = await params
  return <ErrorPage code={code} />
}
