//! The run archive: journal, Parquet tables, manifest, verification.
