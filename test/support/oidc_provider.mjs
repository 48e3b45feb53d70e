// oidc-provider with one client, refresh tokens that rotate and are revoked when used twice, and a small API behind its tokens.
//   node oidc_provider.mjs MODULES PORT REDIRECT_URI ACCESS_TOKEN_SECONDS
// Beside the provider's own addresses: /api/items (a token is needed), /stats (how often tokens were asked for).
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [modules, port, redirectUri, seconds] = process.argv.slice(2);
const require = createRequire(modules + '/x.js');
const { Provider } = await import(pathToFileURL(require.resolve('oidc-provider')).href);

const stats = { authorization_code: 0, refresh_token: 0, failed: 0, api: 0, revoked: 0 };
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [{
    client_id: 'pg_pull',
    client_secret: 'client-secret-canary',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
    token_endpoint_auth_method: 'client_secret_basic',
  }],
  features: { revocation: { enabled: true }, introspection: { enabled: true }, clientCredentials: { enabled: true } },
  scopes: ['openid', 'offline_access'],
  rotateRefreshToken: true,
  issueRefreshToken: async () => true,
  ttl: { AccessToken: Number(seconds), ClientCredentials: Number(seconds), RefreshToken: 3600, Grant: 3600, Session: 3600, Interaction: 600, AuthorizationCode: 60, IdToken: 600 },
  cookies: { keys: ['not-a-secret'] },
});
provider.on('grant.success', (ctx) => { stats[ctx.oidc.params.grant_type] = (stats[ctx.oidc.params.grant_type] ?? 0) + 1; });
provider.on('grant.error', () => { stats.failed += 1; });
provider.on('revocation.success', () => { stats.revoked += 1; });
provider.use(async (ctx, next) => {
  if (ctx.path === '/token/revocation') { await next(); if (ctx.status === 200) stats.revoked += 1; return; }
  if (ctx.path === '/stats') { ctx.body = stats; return; }
  if (ctx.path !== '/api/items') { await next(); return; }
  const value = (ctx.get('authorization').match(/^Bearer (.+)$/i) ?? [])[1];
  const token = value && (await provider.AccessToken.find(value) ?? await provider.ClientCredentials.find(value));
  stats.api += 1;
  if (!token) { ctx.status = 401; ctx.body = { error: 'invalid_token' }; return; }
  ctx.body = [{ id: 1, account: token.accountId ?? token.clientId }, { id: 2, account: token.accountId ?? token.clientId }];
});
provider.listen(Number(port), '127.0.0.1');
