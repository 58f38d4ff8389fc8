-- Key of the delivery request that an assignment is made for, and its attempt; null: an older Workflow did not say.
alter table assignments add column made_for text;
alter table assignments add column attempt bigint not null default 0;

-- Attempts up to this one are refused when they come late.
create table failed_drone_requests (
    request text primary key, attempt bigint not null, failed_at bigint not null); -- Unix time in ms
