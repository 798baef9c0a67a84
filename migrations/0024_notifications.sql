-- Notifications on the page, known devices, and mail.

-- Notifications of an account, kept 90 days.
create table notification (
  id uuid primary key default gen_random_uuid(), -- identifier
  owner_id uuid not null references app_user on delete cascade, -- account
  type text not null check (type in ('JobFailed', 'BackupFailed', 'SystemMessage', 'AlbumInvite',
    'AlbumUpdate', 'ClusterGroupRequest', 'Custom')), -- Immich's type
  level text not null check (level in ('success', 'error', 'warning', 'info')), -- severity
  title text not null, -- title
  description text, -- text
  data jsonb, -- what it is about, as {"albumId": …}
  -- the event, as 'album-update <album id>': events with the key of an unread notification add to it
  key text,
  read_at timestamptz, -- when the owner read it
  created_at timestamptz not null default now(), -- creation
  updated_at timestamptz not null default now() -- last change
);
create index notification_owner on notification (owner_id, created_at desc, id desc);
create unique index notification_collected on notification (owner_id, key)
  where key is not null and read_at is null;
-- Notifications that are too old to be kept.
create index notification_created on notification (created_at);

-- Devices that an account has logged in from: a login from another one is announced.
create table known_device (
  user_id uuid not null references app_user on delete cascade, -- account
  fingerprint bytea not null, -- SHA-256 of what tells devices apart
  first_seen_at timestamptz not null default now(), -- first login
  last_seen_at timestamptz not null default now(), -- last login
  primary key (user_id, fingerprint)
);

-- Up to where it was told that what an account has uploaded is processed.
create table reported_import (
  owner_id uuid primary key references app_user on delete cascade, -- account
  until timestamptz not null -- asset.created_at of the newest asset then
);

-- Mail to send, and what became of it. Kept 90 days.
create table mail_message (
  id uuid primary key default gen_random_uuid(), -- identifier; part of its Message-ID
  key text not null unique, -- the event, as 'welcome <user id>': never sent twice
  user_id uuid references app_user on delete cascade, -- account that it is for
  -- template
  template text not null check (template in ('welcome', 'album-invite', 'album-update', 'workflow')),
  -- values of the template: ids, of which names are read when it is sent; of a workflow what its steps say
  data jsonb not null,
  -- 'dropped': no longer wanted when its turn came
  status text not null default 'queued' check (status in ('queued', 'sent', 'failed', 'dropped')),
  attempts int not null default 0, -- attempts that the server has answered: it took, deferred or refused the message
  next_attempt_at timestamptz not null default now(), -- earliest time of the next one
  first_attempt_at timestamptz, -- end of the first one, also of one that did not reach the server; null: none has ended
  leased_until timestamptz, -- a process sends it and nobody else does until then; null: none does
  error text, -- the server's words after the last attempt
  created_at timestamptz not null default now(), -- event
  sent_at timestamptz -- when the server took it
);
-- The next mail to be sent.
create index mail_message_queued on mail_message (next_attempt_at) where status = 'queued';
create index mail_message_user on mail_message (user_id);
-- Mail of a workflow that more items join.
create index mail_message_open on mail_message (user_id, (data ->> 'step'))
  where template = 'workflow' and status = 'queued' and first_attempt_at is null;
-- Mail that is too old to be kept.
create index mail_message_created on mail_message (created_at);
