-- SPDX-License-Identifier: MIT
CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price INTEGER, note BLOB);
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
INSERT INTO item SELECT i, printf('item %d', i * 7919 % 60013), i * 48271 % 10007,
	zeroblob(i % 300) FROM n;
CREATE INDEX item_name ON item (name);
COMMIT;
SELECT count(*), sum(price), sum(length(note)) FROM item;
SELECT name FROM item ORDER BY name DESC LIMIT 3;
SELECT length(group_concat(name)) FROM item;
SELECT count(*) FROM item AS a JOIN item AS b ON b.name = 'item ' || a.price;
DELETE FROM item WHERE id % 3 = 0;
VACUUM;
PRAGMA integrity_check;
SELECT count(*), max(name) FROM item;
SELECT * FROM no_such_table;
