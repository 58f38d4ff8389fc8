-- Another text after each change of a package: its ETag. A replica of the version before, which does not know the column, leaves it as it is.
alter table packages add column version text not null default '0';
