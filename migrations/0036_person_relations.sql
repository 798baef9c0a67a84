-- Relations of people to the owner of the library.

-- Relations, for sentences as 'my daughter' in the search.
create table person_relation (
  person_id uuid primary key references person on delete cascade, -- person
  relation text not null -- one of RELATIONS in src/areas/people/relations.ts
);
