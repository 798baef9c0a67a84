-- What the owner says about an animal that was seen. Who was told apart from others of the species has
-- a row of its own; the default one of a species takes what is seen anew.
alter table pet add column is_default boolean not null default true;
alter table pet drop constraint pet_owner_id_species_key;
create unique index pet_default on pet (owner_id, species) where is_default;

-- No pet: the owner has said that there is none.
alter table pet_observation alter column pet_id drop not null;
alter table pet_observation add column verdict text check (verdict in ('confirmed', 'denied'));
alter table pet_observation
  add constraint pet_observation_denied check ((pet_id is null) = (verdict is not distinct from 'denied'));
-- The picture that stands for a pet: what the owner has said, then what is surest.
create index pet_observation_best on pet_observation (pet_id, (verdict is not null) desc, score desc);
