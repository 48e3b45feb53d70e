-- The extension as an object: what it holds, and what nobody else may do with it.

SELECT extname, extrelocatable FROM pg_extension WHERE extname = 'pg_pull';

-- nothing is executable by PUBLIC
SELECT p.oid::regprocedure
  FROM pg_depend d JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
 WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
   AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'pg_pull')
   AND EXISTS (SELECT 1 FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a WHERE a.grantee = 0);

-- every function pins its search_path, but for the three that first look a target's name up by the caller's path and then pin it
-- themselves (and a procedure that commits, to which SET forbids that)
SELECT p.proname
  FROM pg_depend d JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
 WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND p.prokind = 'f'
   AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'pg_pull')
   AND NOT coalesce(p.proconfig::text LIKE '%search_path=%', false)
 ORDER BY 1;

-- none runs with its owner's rights
SELECT p.oid::regprocedure
  FROM pg_depend d JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
 WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND p.prosecdef
   AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'pg_pull');

-- everything public has a comment
SELECT d.classid::regclass, coalesce(p.oid::regprocedure::text, c.oid::regclass::text) AS object
  FROM pg_depend d
  LEFT JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
  LEFT JOIN pg_class c ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND c.relkind IN ('r', 'v')
 WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
   AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'pg_pull')
   AND (p.oid IS NOT NULL OR c.oid IS NOT NULL) AND obj_description(d.objid, d.classid::regclass::text) IS NULL
 ORDER BY 1, 2;

-- nobody but the owner may write its tables
SELECT c.oid::regclass, a.privilege_type
  FROM pg_depend d JOIN pg_class c ON d.classid = 'pg_class'::regclass AND d.objid = c.oid
 CROSS JOIN LATERAL aclexplode(c.relacl) a
 WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
   AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'pg_pull')
   AND a.grantee <> c.relowner AND a.privilege_type <> 'SELECT';

-- it goes without a trace, and comes again in another schema
DROP EXTENSION pg_pull;
CREATE SCHEMA elsewhere;
CREATE EXTENSION pg_pull SCHEMA elsewhere;
SELECT count(*) FROM elsewhere.sync_mapping;
DROP EXTENSION pg_pull;
DROP SCHEMA elsewhere;
CREATE EXTENSION pg_pull;
