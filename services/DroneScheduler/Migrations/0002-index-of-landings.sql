-- For whoever asks which drones still fly, without a look at the rows, and for the purge of old flights.
create index if not exists assignments_of_landing on assignments (landing, cancelled, drone_id);
