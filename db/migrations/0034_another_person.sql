-- Whether a session that was one investor's is another person's by now: not where the first was joined to the second, who are
-- one. A function, for the reason that choose_investor is one: it sees what that has written in the same statement.
CREATE FUNCTION "is_another_person"(in_workspace text, in_before text, in_now text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	RETURN in_before <> in_now AND NOT EXISTS (
		SELECT FROM "investors" WHERE "workspace_id" = in_workspace AND "id" = in_before AND "merged_into" = in_now);
END $$;
