-- Creates the roles of the services. The variable roles is a JSON object of object ids by role (docs/how-to/azure.md). The roles may only
-- log in; the chart's jobs grant access to the tables. By object id, because names aren't unique in a tenant. The flags are: no
-- administrator, no multifactor authentication.
select pgaadauth_create_principal_with_oid(key, value, 'service', false, false)
from json_each_text(:'roles')
where not exists (select from pg_roles where rolname = key);
