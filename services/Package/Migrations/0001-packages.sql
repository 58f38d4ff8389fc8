-- "if not exists": databases that were made before there were migrations have this already.
create table if not exists packages (
    id text primary key, owner_id text not null, size text not null, weight double precision not null, tag text,
    request text not null); -- fingerprint of the last PUT, so that its replay does not undo a PATCH
create index if not exists packages_of_owner on packages (owner_id);
