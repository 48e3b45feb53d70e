-- pg_pull: pulls records of remote systems into tables, and keeps the connections that this needs.
-- This script is made by joining sql/*.sql in the order of their names.

-- complain if the script is sourced in psql, rather than by CREATE EXTENSION
\echo Use "CREATE EXTENSION pg_pull" to load this file. \quit

