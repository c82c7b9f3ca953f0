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
