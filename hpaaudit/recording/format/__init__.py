"""The format of a recording: tables and columns, documents, and the largest sizes that readers accept."""
