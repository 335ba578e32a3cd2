//! The inverse of a matrix, for least-squares fits and information matrices.

/// The inverse of a matrix by Gauss-Jordan elimination; `None` if it is singular.
pub fn invert(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let count = matrix.len();
    for (index, row) in matrix.iter_mut().enumerate() {
        row.extend((0..count).map(|column| if column == index { 1.0 } else { 0.0 }));
    }
    for column in 0..count {
        let size = |row: &usize| matrix[*row][column].abs();
        let pivot = (column..count).max_by(|a, b| size(a).total_cmp(&size(b)))?;
        if matrix[pivot][column].abs() < 1e-12 {
            return None;
        }
        matrix.swap(column, pivot);
        let divisor = matrix[column][column];
        for value in &mut matrix[column] {
            *value /= divisor;
        }
        let pivot_row = matrix[column].clone();
        for (index, row) in matrix.iter_mut().enumerate() {
            if index == column {
                continue;
            }
            let factor = row[column];
            for (value, pivot) in row.iter_mut().zip(&pivot_row) {
                *value -= factor * pivot;
            }
        }
    }
    let inverse = matrix.into_iter().map(|mut row| row.split_off(count));
    Some(inverse.collect())
}
