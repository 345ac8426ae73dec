-- What of a document could not be read, a sentence a part: pages without text, attachments of no known format.

ALTER TABLE documents ADD COLUMN left_out JSON DEFAULT '[]' NOT NULL;
