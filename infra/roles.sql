-- Makes the roles of the services whose names are the variable roles (docs/how-to/azure.md). They may log in and nothing else: the
-- jobs of the chart give each the rows of its own tables. The flags: no administrator, no multi-factor log-in.
select pgaadauth_create_principal(role, false, false)
from unnest(string_to_array(:'roles', ',')) as role
where not exists (select from pg_roles where rolname = role);
