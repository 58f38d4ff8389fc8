-- Makes the roles of the services: the variable roles is a JSON object, role to object id (docs/how-to/azure.md). They may log in and
-- nothing else: the jobs of the chart give each the rows of its own tables. By object id, because names need not be unique in a tenant.
-- The flags: no administrator, no multi-factor log-in.
select pgaadauth_create_principal_with_oid(key, value, 'service', false, false)
from json_each_text(:'roles')
where not exists (select from pg_roles where rolname = key);
