import type { PublicReason } from "#shared/public-reasons.ts"

/** The labels that an investor may see. They never see labels of fraud, lists and sanctions. */
export const publicReasons: Record<string, PublicReason> = {
  UNSATISFACTORY_PHOTOS: "documents_unreadable",
  LOW_QUALITY: "documents_unreadable",
  INCOMPLETE_DOCUMENT: "documents_unreadable",
  DOCUMENT_DAMAGED: "documents_unreadable",
  PROBLEMATIC_APPLICANT_DATA: "information_mismatch",
  DB_DATA_MISMATCH: "information_mismatch",
  WRONG_ADDRESS: "information_mismatch",
  AGE_REQUIREMENT_MISMATCH: "not_eligible",
  REGULATIONS_VIOLATIONS: "not_eligible",
  WRONG_USER_REGION: "not_eligible",
}
