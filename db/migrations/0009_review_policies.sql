-- What the setting "four eyes for reviews" required is an approval policy from now on: one further member approves. It also
-- covers the other ways to end a case. The setting's columns stay for processes of 0.1.0, which go on requiring two
-- members during the upgrade.
INSERT INTO "approval_policies"
	("workspace_id", "id", "actions", "approvals", "roles", "expires_in_hours", "created_at")
SELECT w."id", 'apol_' || translate(left(md5(w."id" || 'review_policies'), 22), '0', 'g'),
	ARRAY['attestation_revoke', 'erase', 'review_decision', 'session_cancel'], 1, ARRAY['compliance', 'owner'], 72, now()
FROM "workspaces" w JOIN "accounts" a ON a."id" = w."account_id"
WHERE a."four_eyes";
