-- What of a document looks like a decision record and states no decision: the reasons, and where it begins.

ALTER TABLE extracted_documents ADD COLUMN put_aside JSON DEFAULT '[]' NOT NULL;
