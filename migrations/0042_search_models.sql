-- When the models of a library changed: the vectors before are kept for some time.

alter table analysis_model add column changed_at timestamptz not null default now(); -- last change
