import { notFound } from "next/navigation.js"

/** Every unknown path of more than one part. Outside the dashboard's layout, so that its status is 404. */
export default function Page() {
  notFound()
}
