-- What the last export said of a work item, a hash a column: importing the same again overwrites nothing.

ALTER TABLE work_items ADD COLUMN imported JSON;
