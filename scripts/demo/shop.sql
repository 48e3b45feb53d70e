-- The other database, which knows nothing of pg_pull: customers, and a role that may read them.
CREATE TABLE customers (id bigint PRIMARY KEY, name text NOT NULL, city text, credit numeric(10,2));
INSERT INTO customers VALUES (1, 'Ada', 'London', 250.00), (2, 'Grace', 'New York', 99.90), (3, 'Edsger', 'Rotterdam', 0),
                             (4, 'Barbara', 'Boston', 1200.50);
CREATE ROLE reader LOGIN;
GRANT SELECT ON customers TO reader;
