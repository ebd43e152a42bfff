"""The format of a recording: tables and columns, documents, and what readers accept at most."""
