// json-server behind the parameters of GitHub's REST API: per_page, page, since, a bearer token; 401 without it.
//   node github_like.js NODE_MODULES DATA.json PORT TOKEN
// Only names are translated here; paging, links, filters and changes are json-server's own.
const [modules, data, port, token] = process.argv.slice(2);
const jsonServer = require(require('path').join(modules, 'json-server'));

const renamed = { per_page: '_limit', page: '_page', since: 'updated_at_gte' };
const ignored = new Set(['state']);

function translate(req, res, next) {
  if (req.method !== 'GET') return next(); // the test changes the data
  if (req.get('Authorization') !== `Bearer ${token}`) return res.status(401).json({ message: 'Bad credentials' });
  const url = new URL(req.originalUrl, 'http://localhost');
  const query = new URLSearchParams();
  for (const [name, value] of url.searchParams) {
    if (!ignored.has(name)) query.set(renamed[name] || name, value);
  }
  if (!query.has('_page')) query.set('_page', '1');
  // /repos/<owner>/<name>/issues is the resource "issues"
  req.url = req.originalUrl = url.pathname.replace(/^\/repos\/[^/]+\/[^/]+/, '') + '?' + query;
  req.query = Object.fromEntries(query);
  next();
}

const server = jsonServer.create();
server.use(translate);
server.use(jsonServer.defaults({ logger: false }));
server.use(jsonServer.router(data));
server.listen(Number(port), '127.0.0.1');
