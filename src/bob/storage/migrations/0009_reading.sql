-- Which reading of its format a document was made by: what an older one made is read again by the next run.

ALTER TABLE documents ADD COLUMN reading INTEGER DEFAULT 0 NOT NULL;
