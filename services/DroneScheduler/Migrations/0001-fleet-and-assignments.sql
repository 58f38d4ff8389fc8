-- "if not exists": databases that were made before there were migrations have some of this or all of it.
create table if not exists drones (
    id text primary key, capacity_kg double precision not null, range_km double precision not null,
    speed_kmh double precision not null, top_speed_kmh double precision not null);

-- Twenty drones of each model: name, capacity, range, speed, top speed.
insert into drones
    select model.column1 || '-' || number.column1, model.column2, model.column3, model.column4, model.column5
    from (values ('light', 2.5, 40, 55, 70), ('medium', 10, 100, 65, 85), ('heavy', 40, 200, 80, 100)) as model
    cross join (values ('01'), ('02'), ('03'), ('04'), ('05'), ('06'), ('07'), ('08'), ('09'), ('10'),
        ('11'), ('12'), ('13'), ('14'), ('15'), ('16'), ('17'), ('18'), ('19'), ('20')) as number
    where not exists (select 1 from drones);

create table if not exists assignments (
    delivery_id text primary key, drone_id text not null, owner_id text not null,
    take_off bigint not null, landing bigint not null, -- Unix time in ms
    distance_km double precision not null, cancelled bigint not null,
    assignment text not null, -- all of it, as JSON
    request text not null); -- fingerprint of the PUT
create index if not exists assignments_of_owner on assignments (owner_id, take_off);

create table if not exists free_times (
    drone_id text not null, begins bigint not null, ends bigint not null, -- Unix time in ms
    primary key (drone_id, ends));
