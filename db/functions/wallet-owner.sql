-- The person a wallet belongs to.

-- The owner is the person for whom the wallet was last proven or approved. Until then it is the first who named it, so that
-- starting a session moves nothing. One row; null for a wallet that no session has named.
CREATE OR REPLACE FUNCTION "wallet_owner"(in_workspace text, in_wallet text) RETURNS TABLE ("investor_id" text) LANGUAGE sql STABLE AS $$
	SELECT coalesce(
		(SELECT a."investor_id" FROM "attestations" a WHERE a."workspace_id" = in_workspace AND a."wallet" = in_wallet
			AND (a."wallet_proved_at" IS NOT NULL OR a."issued_at" IS NOT NULL)
			ORDER BY greatest(a."wallet_proved_at", a."issued_at", a."approved_at") DESC NULLS LAST, a."seq" DESC NULLS LAST LIMIT 1),
		(SELECT a."investor_id" FROM "attestations" a WHERE a."workspace_id" = in_workspace AND a."wallet" = in_wallet
			ORDER BY a."seq" NULLS FIRST LIMIT 1))
$$;

-- The person a wallet stands for when a request names only the wallet: its owner. Once that person was erased, the wallet
-- begins again, with the investor that a start without a name has made since. Another person who has named it is never taken
-- for the owner. Null if there is no such person.
CREATE OR REPLACE FUNCTION "investor_of_wallet"(in_workspace text, in_wallet text) RETURNS TABLE ("investor_id" text) LANGUAGE sql STABLE AS $$
	SELECT coalesce(
		(SELECT i."id" FROM "wallet_owner"(in_workspace, in_wallet) o
			JOIN "investors" i ON i."workspace_id" = in_workspace AND i."id" = o."investor_id" WHERE i."erased_at" IS NULL),
		(SELECT i."id" FROM "investors" i WHERE i."workspace_id" = in_workspace AND i."wallet" = in_wallet
			AND i."external_id" IS NULL AND i."merged_into" IS NULL))
$$;

-- The person whose holding a wallet's tokens are, for a schema that the token requires: the one whose verification is in force,
-- with that attestation. Otherwise the wallet's owner, with the last attestation that verified it for them. No row if there is
-- no such person.
CREATE OR REPLACE FUNCTION "holder_of"(in_workspace text, in_schema text, in_wallet text, in_now timestamptz)
RETURNS TABLE ("investor_id" text, "attestation_id" text, "claims" bytea, "in_force" boolean) LANGUAGE sql STABLE AS $$
	(SELECT a."investor_id", a."id", a."claims", true AS "in_force" FROM "attestations" a
		WHERE a."workspace_id" = in_workspace AND a."wallet" = in_wallet AND a."schema_id" = in_schema
			AND a."status" = 'verified' AND a."expires_at" > in_now
		ORDER BY a."seq" DESC LIMIT 1)
	UNION ALL
	(SELECT o."investor_id", a."id", a."claims", false FROM "investor_of_wallet"(in_workspace, in_wallet) o
		LEFT JOIN LATERAL (SELECT v."id", v."claims" FROM "attestations" v
			WHERE v."workspace_id" = in_workspace AND v."wallet" = in_wallet AND v."schema_id" = in_schema
				AND v."investor_id" = o."investor_id" AND v."verified_at" IS NOT NULL AND v."erased_at" IS NULL
			ORDER BY v."seq" DESC LIMIT 1) a ON true
		WHERE o."investor_id" IS NOT NULL)
	ORDER BY "in_force" DESC LIMIT 1
$$;
