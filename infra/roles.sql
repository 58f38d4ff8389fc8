-- Makes the roles of the two services, once for a server, in the database `postgres`, as an administrator (docs/azure.md). They may log in and
-- nothing else: the jobs of the chart give each the rows of its own tables.
select * from pgaadauth_create_principal('drone-package', false, false);
select * from pgaadauth_create_principal('drone-dronescheduler', false, false);
