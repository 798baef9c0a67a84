-- Visits and downloads of links.

-- Uses of shared links. Nothing tells by whom.
create table shared_link_use (
  link_id uuid primary key references shared_link on delete cascade, -- shared link
  opened_count bigint not null default 0, -- visits of its page
  downloaded_count bigint not null default 0, -- files and archives that guests asked for
  last_opened_at timestamptz -- latest visit
);
