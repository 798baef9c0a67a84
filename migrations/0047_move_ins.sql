-- Moves from other servers: see src/areas/move-ins.

-- Files that the latest run of a move could not take in, the first 10,000.
create table move_in_failure (
  operation_id uuid not null references operation on delete cascade, -- operation
  position int not null, -- order, from 0
  name text not null, -- name of the file there
  reason text not null, -- why it was refused, in English
  primary key (operation_id, position)
);
