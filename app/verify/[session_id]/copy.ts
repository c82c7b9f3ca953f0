import type { Watched } from "./watch.ts"

export type Mood = "loading" | "asking" | "working" | "good" | "bad" | "over" | "unknown" | "lost"

/** What each state is called, and the sentence that is read out when it comes: the heading alone says it to the eye. */
export function copyFor({ view, lost }: Watched): { heading: string; news: string; mood: Mood } {
  if (view === null) {
    return lost
      ? { heading: "This page could not be loaded", news: "You are offline.", mood: "lost" }
      : { heading: "Loading", news: "", mood: "loading" }
  }
  switch (view.state) {
    case "unknown":
      return { heading: "Unknown session", news: "", mood: "unknown" }
    case "open":
      return {
        heading: "Verify your identity",
        news: view.again ? "Another submission is needed." : "",
        mood: "asking",
      }
    case "checking":
      return {
        heading: "Your verification is being checked",
        news: view.inReview
          ? "A reviewer is checking it. You can close this page."
          : "The result will appear here.",
        mood: "working",
      }
    case "verified":
      return { heading: "Your wallet is verified", news: "Done.", mood: "good" }
    case "rejected":
      return view.was !== "pending"
        ? { heading: "Verification revoked", news: "It is no longer valid.", mood: "bad" }
        : { heading: "Verification rejected", news: "It was not accepted.", mood: "bad" }
    case "expired":
      switch (view.was) {
        case "verified":
          return {
            heading: "Your verification has expired",
            news: "It is no longer valid.",
            mood: "over",
          }
        case "superseded":
          return {
            heading: "Your verification was renewed",
            news: "A newer one replaced it.",
            mood: "over",
          }
        case "open":
          return { heading: "This verification has expired", news: "It is closed.", mood: "over" }
      }
  }
}
