-- Lists read an owner's packages in the order of their ids; counts read the same index.
create index packages_of_owner_by_id on packages (owner_id, id);
drop index packages_of_owner;
