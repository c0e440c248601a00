//! Turns rows into tables, JSON, CSV and Markdown.
