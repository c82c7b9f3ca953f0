-- Whom a wallet stands for when it is named alone: its owner. Once that person was erased, the wallet begins again, with the
-- investor that a start without a name has made since. Another person who has named it is never taken for the owner. Null
-- where there is no such person.
CREATE OR REPLACE FUNCTION "investor_of_wallet"(in_workspace text, in_wallet text) RETURNS TABLE ("investor_id" text) LANGUAGE sql STABLE AS $$
	SELECT coalesce(
		(SELECT i."id" FROM "wallet_owner"(in_workspace, in_wallet) o
			JOIN "investors" i ON i."workspace_id" = in_workspace AND i."id" = o."investor_id" WHERE i."erased_at" IS NULL),
		(SELECT i."id" FROM "investors" i WHERE i."workspace_id" = in_workspace AND i."wallet" = in_wallet
			AND i."external_id" IS NULL AND i."merged_into" IS NULL))
$$;
