import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { auditLedger } from "#server/domain/audits/audit-ledger.ts"
import { documentHash } from "#test/fixtures/grounds.ts"
import { key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"

usesCustomer()
