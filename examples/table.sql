-- SPDX-License-Identifier: MIT
-- 200 000 rows with two indexes, queried, changed and checked; nothing random,
-- so the output is the same every time.
--
--   sqlite3 -bail :memory: '.read examples/table.sql'

CREATE TABLE person (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL,
	town INTEGER NOT NULL,
	balance INTEGER NOT NULL
);

BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
INSERT INTO person
SELECT i,
       printf('name-%x-%0*d', i * 2654435761 % 1000003, i % 40 + 1, i),
       i * 7919 % 1000,
       i * 48271 % 100003
FROM n;
CREATE INDEX person_town ON person (town, balance);
CREATE INDEX person_name ON person (name);
COMMIT;

.print rows, sum of balances
SELECT count(*), sum(balance) FROM person;

.print the three richest towns
SELECT town, sum(balance) AS total FROM person GROUP BY town ORDER BY total DESC, town LIMIT 3;

.print names that sort first
SELECT name FROM person ORDER BY name LIMIT 3;

.print length of all names of some towns in one string
SELECT length(group_concat(name, ', ')) FROM person WHERE town BETWEEN 100 AND 299;

.print pairs of neighbours
SELECT count(*) FROM person AS a JOIN person AS b
ON b.town = a.town AND b.balance BETWEEN a.balance + 1 AND a.balance + 1000;

UPDATE person SET name = upper(name), balance = balance + 1 WHERE town % 3 = 0;
DELETE FROM person WHERE town % 5 = 4;

.print rows and sum of balances after changes
SELECT count(*), sum(balance), sum(length(name)) FROM person;
PRAGMA integrity_check;
