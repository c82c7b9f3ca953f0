/** Webhooks as in Veriff's examples, with other names and numbers. `docs/providers/veriff.md` has the sources. */
type About = { id: string; vendorData: string }

const ATTEMPT = "e30122d1-740b-4764-853f-470374a7abf4"
const END_USER = "c1de400b-1877-4284-8494-071d37916197"

/** Times without an offset, as some of its examples write them. */
export const withoutOffset = (at: Date): string => at.toISOString().slice(0, -1).replace("T", " ")

const field = (value: string | null) => ({ confidenceCategory: "high", value, sources: ["VIZ", "MRZ"] })

/** The webhook and the API's response in the Full Auto plan. */
export const fullAuto = ({ id, vendorData }: About, decision: string, at: Date) => ({
  status: "success",
  eventType: "fullauto",
  sessionId: id,
  attemptId: ATTEMPT,
  vendorData,
  endUserId: END_USER,
  version: "1.0.0",
  acceptanceTime: at.toISOString(),
  time: new Date(at.getTime() + 1500).toISOString(),
  data: {
    verification: {
      decisionScore: decision === "approved" ? 0.97 : 0.12,
      decision,
      person: {
        firstName: field("SARAH"),
        lastName: field("MORGAN"),
        dateOfBirth: field("1967-03-30"),
        gender: field(null),
        nationality: null,
        idNumber: null,
        address: { ...field("1234 Snowy Ridge Road"), components: {} },
      },
      document: {
        type: field("drivers_license"),
        country: field("GB"),
        number: field("MORGA753116SM9IJ"),
        validFrom: null,
        validUntil: field("2032-04-20"),
      },
      insights: [{ label: "documentAccepted", result: "yes", category: "document" }],
    },
  },
})

/** A status that the customer defines and a member sets. */
export const userDefinedStatus = ({ id, vendorData }: About, at: Date) => ({
  data: {
    verification: {
      id,
      userDefinedData: {
        reason: "Looks like velocity abuse",
        status: "Custom status for suspicious attempt",
        createdAt: `${at.toISOString().slice(0, -1)}805Z`,
        reasonCode: null,
        statusCode: "custom_status_for_suspicious_attempt",
      },
    },
  },
  time: at.toISOString(),
  attemptId: ATTEMPT,
  eventType: "user-status.created",
  sessionId: id,
  vendorData,
  endUserId: END_USER,
  version: "1.0.0",
})

/** The result of a list search, in the newer form: `no_match`, `potential_match` or `reviewed`. */
export const screened = ({ id, vendorData }: About, reviewStatus: string, at: Date) => ({
  status: "success",
  checkType: "updated_result",
  sessionId: id,
  attemptId: ATTEMPT,
  vendorData,
  endUserId: END_USER,
  reviewStatus,
  monitorStatus: "enabled",
  searchDate: withoutOffset(at),
  searchTerm: {
    name: "SARAH MORGAN",
    year: "1967",
    lists: ["sanction", "pep"],
    countries: [],
    exactMatch: false,
    matchThreshold: 80,
    excludeDeceased: "yes",
  },
  totalHits: reviewStatus === "no_match" ? 0 : 1,
  hits: reviewStatus === "no_match" ? [] : [{ matchedName: "SARAH MORGAN", countries: ["GB"] }],
})
