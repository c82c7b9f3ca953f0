import { notFound } from "next/navigation.js"

/**
 * Whatever no page answers to that is more than one part long. Outside of the dashboard's layout, so
 * that its status is 404.
 */
export default function Page() {
  notFound()
}
