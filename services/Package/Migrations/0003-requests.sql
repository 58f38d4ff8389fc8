-- The delivery requests that rely on a package: a JSON object, key of the request to attempt.
alter table packages add column requests text not null default '{}';
-- 1: a delivery request made the package, and its owner has left it so.
alter table packages add column made_by_request bigint not null default 0;

-- Attempts up to this one are refused when they come late.
create table failed_package_requests (
    request text primary key, attempt bigint not null, failed_at bigint not null); -- Unix time in ms
