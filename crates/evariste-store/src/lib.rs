//! Chunked files and objects.
