//! Tables as columns, and columns as Parquet. The `parquet` crate is used without arrow, whose crates would double what has
//! to be compiled.
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write;
use std::sync::Arc;

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// UTF-8.
    Text,
    /// Unsigned, 32 bits.
    U32,
    /// Unsigned, 64 bits.
    U64,
    /// True or false.
    Bool,
}

/// A column's name and type.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The name.
    pub name: &'static str,
    /// The type.
    pub kind: Kind,
    /// Whether a value may be missing.
    pub optional: bool,
}

/// A column that always has a value.
pub const fn field(name: &'static str, kind: Kind) -> Field {
    Field {
        name,
        kind,
        optional: false,
    }
}

/// A column whose value may be missing.
pub const fn optional(name: &'static str, kind: Kind) -> Field {
    Field {
        name,
        kind,
        optional: true,
    }
}

/// The values of one column, `None` where missing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are the kinds")]
pub enum Column {
    Text(Vec<Option<Arc<str>>>),
    U32(Vec<Option<u32>>),
    U64(Vec<Option<u64>>),
    Bool(Vec<Option<bool>>),
}

/// What can stand in a cell.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the variants are the kinds")]
pub enum Value {
    Text(Option<Arc<str>>),
    U32(Option<u32>),
    U64(Option<u64>),
    Bool(Option<bool>),
}

/// A group of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    columns: Vec<Column>,
}

impl Batch {
    /// No rows of these fields.
    pub fn new(fields: &[Field]) -> Self {
        let columns = fields
            .iter()
            .map(|field| match field.kind {
                Kind::Text => Column::Text(Vec::new()),
                Kind::U32 => Column::U32(Vec::new()),
                Kind::U64 => Column::U64(Vec::new()),
                Kind::Bool => Column::Bool(Vec::new()),
            })
            .collect();
        Self { columns }
    }

    /// Adds a row: a value for each field, of its kind.
    pub fn push(&mut self, row: impl IntoIterator<Item = Value>) {
        for (column, value) in self.columns.iter_mut().zip(row) {
            match (column, value) {
                (Column::Text(column), Value::Text(value)) => column.push(value),
                (Column::U32(column), Value::U32(value)) => column.push(value),
                (Column::U64(column), Value::U64(value)) => column.push(value),
                (Column::Bool(column), Value::Bool(value)) => column.push(value),
                (column, value) => debug_assert!(false, "{value:?} in {column:?}"),
            }
        }
    }

    /// Position and name of the first column that differs from `other`'s, and the row.
    pub fn difference(&self, other: &Self, fields: &[Field]) -> Option<(&'static str, usize)> {
        fn first<T: PartialEq>(a: &[T], b: &[T]) -> Option<usize> {
            (a != b).then(|| {
                a.iter()
                    .zip(b)
                    .position(|(a, b)| a != b)
                    .unwrap_or(a.len().min(b.len()))
            })
        }
        fields
            .iter()
            .zip(self.columns.iter().zip(&other.columns))
            .find_map(|(field, columns)| {
                let row = match columns {
                    (Column::Text(a), Column::Text(b)) => first(a, b),
                    (Column::U32(a), Column::U32(b)) => first(a, b),
                    (Column::U64(a), Column::U64(b)) => first(a, b),
                    (Column::Bool(a), Column::Bool(b)) => first(a, b),
                    _ => Some(0),
                };
                row.map(|row| (field.name, row))
            })
    }
}

/// A Parquet file that is being written.
pub struct Writer<W: Write + Send>(SerializedFileWriter<W>);

impl<W: Write + Send> Writer<W> {
    /// A file of these fields.
    pub fn new(output: W, name: &str, fields: &[Field]) -> Result<Self> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(concat!("pq-bench ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let schema = Arc::new(parse_message_type(&message_type(name, fields))?);
        SerializedFileWriter::new(output, schema, Arc::new(properties)).map(Self)
    }

    /// Writes the rows as one row group.
    pub fn write(&mut self, batch: &Batch, fields: &[Field]) -> Result<()> {
        let mut group = self.0.next_row_group()?;
        for (column, field) in batch.columns.iter().zip(fields) {
            let mut writer = group
                .next_column()?
                .ok_or_else(|| ParquetError::General(format!("no column {}", field.name)))?;
            match column {
                Column::Text(values) => {
                    let mut last: Option<(Arc<str>, ByteArray)> = None;
                    put::<ByteArrayType, _>(&mut writer, values, field, |text| match &last {
                        // Neighbours are mostly the same text: one allocation serves them all.
                        Some((same, bytes)) if same == text => bytes.clone(),
                        _ => {
                            let bytes = ByteArray::from(text.as_bytes().to_vec());
                            last = Some((text.clone(), bytes.clone()));
                            bytes
                        }
                    })
                }
                Column::U32(values) => {
                    put::<Int32Type, _>(&mut writer, values, field, |v| *v as i32)
                }
                Column::U64(values) => {
                    put::<Int64Type, _>(&mut writer, values, field, |v| *v as i64)
                }
                Column::Bool(values) => put::<BoolType, _>(&mut writer, values, field, |v| *v),
            }?;
            writer.close()?;
        }
        group.close().map(drop)
    }

    /// Writes the footer.
    pub fn close(self) -> Result<W> {
        self.0.into_inner()
    }
}

fn put<T: DataType, V>(
    writer: &mut parquet::file::writer::SerializedColumnWriter<'_>,
    values: &[Option<V>],
    field: &Field,
    mut physical: impl FnMut(&V) -> T::T,
) -> Result<()> {
    let there: Vec<T::T> = values.iter().flatten().map(&mut physical).collect();
    let levels: Vec<i16> = values.iter().map(|v| i16::from(v.is_some())).collect();
    let levels = field.optional.then_some(levels.as_slice());
    writer
        .typed::<T>()
        .write_batch(&there, levels, None)
        .map(drop)
}

fn message_type(name: &str, fields: &[Field]) -> String {
    let mut text = format!("message {name} {{\n");
    for field in fields {
        let presence = if field.optional {
            "optional"
        } else {
            "required"
        };
        let (kind, meaning) = match field.kind {
            Kind::Text => ("BYTE_ARRAY", " (UTF8)"),
            Kind::U32 => ("INT32", " (INTEGER(32,false))"),
            Kind::U64 => ("INT64", " (INTEGER(64,false))"),
            Kind::Bool => ("BOOLEAN", ""),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {presence} {kind} {}{meaning};", field.name);
    }
    text + "}"
}

/// A Parquet file that is being read.
pub struct Reader(SerializedFileReader<File>);

impl Reader {
    /// Reads the footer, and checks that the columns are `fields`.
    pub fn new(file: File, fields: &[Field]) -> Result<Self> {
        let reader = SerializedFileReader::new(file)?;
        let schema = reader.metadata().file_metadata().schema_descr();
        let found: Vec<&str> = schema.columns().iter().map(|c| c.name()).collect();
        let expected: Vec<&str> = fields.iter().map(|f| f.name).collect();
        if found != expected {
            return Err(ParquetError::General(format!(
                "columns {found:?}, not {expected:?}"
            )));
        }
        Ok(Self(reader))
    }

    /// Rows of each row group.
    pub fn groups(&self) -> Vec<usize> {
        self.0
            .metadata()
            .row_groups()
            .iter()
            .map(|g| usize::try_from(g.num_rows()).unwrap_or(0))
            .collect()
    }

    /// The rows of one row group.
    pub fn read(&self, group: usize, fields: &[Field]) -> Result<Batch> {
        let rows = self.groups().get(group).copied().unwrap_or(0);
        let group = self.0.get_row_group(group)?;
        let columns = fields
            .iter()
            .enumerate()
            .map(|(at, field)| {
                Ok(match (group.get_column_reader(at)?, field.kind) {
                    (ColumnReader::ByteArrayColumnReader(reader), Kind::Text) => {
                        Column::Text(take(reader, rows, field, |bytes: ByteArray| {
                            Ok(Arc::from(
                                std::str::from_utf8(bytes.data())
                                    .map_err(|e| ParquetError::General(e.to_string()))?,
                            ))
                        })?)
                    }
                    (ColumnReader::Int32ColumnReader(reader), Kind::U32) => {
                        Column::U32(take(reader, rows, field, |v: i32| Ok(v as u32))?)
                    }
                    (ColumnReader::Int64ColumnReader(reader), Kind::U64) => {
                        Column::U64(take(reader, rows, field, |v: i64| Ok(v as u64))?)
                    }
                    (ColumnReader::BoolColumnReader(reader), Kind::Bool) => {
                        Column::Bool(take(reader, rows, field, Ok)?)
                    }
                    _ => {
                        return Err(ParquetError::General(format!(
                            "column {} has another type",
                            field.name
                        )));
                    }
                })
            })
            .collect::<Result<_>>()?;
        Ok(Batch { columns })
    }
}

fn take<T: DataType, V>(
    mut reader: ColumnReaderImpl<T>,
    rows: usize,
    field: &Field,
    logical: impl Fn(T::T) -> Result<V>,
) -> Result<Vec<Option<V>>> {
    let mut values = Vec::new();
    let mut levels = Vec::new();
    let mut read = 0;
    while read < rows {
        let (records, _, _) = reader.read_records(
            rows - read,
            field.optional.then_some(&mut levels),
            None,
            &mut values,
        )?;
        if records == 0 {
            return Err(ParquetError::General(format!(
                "column {} ends early",
                field.name
            )));
        }
        read += records;
    }
    let mut values = values.into_iter();
    let mut next = || values.next().map(&logical).transpose();
    if field.optional {
        levels
            .into_iter()
            .map(|level| if level > 0 { next() } else { Ok(None) })
            .collect()
    } else {
        (0..rows).map(|_| next()).collect()
    }
}
