//! Tables on the terminal.

/// Columns as wide as what is in them.
pub(crate) fn table<const N: usize>(head: &[&str; N], rows: &[[String; N]]) -> String {
    let width = |n: usize| rows.iter().map(|row| row[n].len()).fold(head[n].len(), usize::max);
    let line = |cells: [&str; N]| {
        let cells = cells.iter().enumerate().map(|(n, cell)| format!("{cell:0$}", width(n)));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let rows = rows.iter().map(|row| line(row.each_ref().map(|cell| &**cell)));
    [line(*head)].into_iter().chain(rows).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = [["a".into(), "bc".into()], ["long".into(), "d".into()]];
        assert_eq!(table(&["x", "y"], &rows), "x     y\na     bc\nlong  d");
    }
}
