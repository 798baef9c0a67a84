-- Sign-on with an OpenID provider: sessions that it may end, and the logout tokens that it has used.

-- The session that a provider ends.
create index session_oauth_sid on session (oauth_issuer, oauth_sid) where oauth_sid is not null;

-- Accepted logout tokens, so that none is accepted twice.
create table oauth_logout_token (
  jti text primary key, -- identifier of the token
  expires_at timestamptz not null -- the token is refused as too old from then on
);
-- Tokens that have expired.
create index oauth_logout_token_expires on oauth_logout_token (expires_at);
