/** Precision matrix and its product with the mean, both in the order of the unknowns. */
export interface Marginal {
  readonly size: number
  readonly precision: Float64Array
  readonly right: Float64Array
}

export interface Solved {
  readonly solution: Float64Array
  readonly covariance: (row: number, column: number) => number
  /** Distribution of the last unknowns, with all others integrated out. */
  marginal(count: number): Marginal
}

/**
 * Solves A x = b for a symmetric positive definite matrix by its lower Cholesky factor, stored by rows in one
 * array. The caller puts the unknowns whose variances it needs last, since their covariance requires only the
 * last rows of the factor.
 */
export function solvePositiveDefinite(matrix: Float64Array, right: Float64Array, wanted: number): Solved {
  const size = right.length
  const factor = factorize(matrix, size)
  const at = (row: number, column: number) => factor[row * size + column] ?? 0
  const forward = new Float64Array(size)
  for (let row = 0; row < size; row++) {
    let sum = right[row] ?? 0
    for (let column = 0; column < row; column++) sum -= at(row, column) * (forward[column] ?? 0)
    forward[row] = sum / at(row, row)
  }
  const solution = new Float64Array(size)
  for (let row = size - 1; row >= 0; row--) {
    let sum = forward[row] ?? 0
    for (let below = row + 1; below < size; below++) sum -= at(below, row) * (solution[below] ?? 0)
    solution[row] = sum / at(row, row)
  }
  const inverse = invertedCorner(factor, size, wanted)
  const first = size - wanted
  const covariance = (row: number, column: number) => {
    let sum = 0
    for (let k = Math.max(row, column) - first; k < wanted; k++)
      sum += (inverse[k * wanted + row - first] ?? 0) * (inverse[k * wanted + column - first] ?? 0)
    return sum
  }
  const marginal = (count: number): Marginal => {
    const start = size - count
    const precision = new Float64Array(count * count)
    const ownRight = new Float64Array(count)
    for (let row = 0; row < count; row++) {
      for (let column = 0; column <= row; column++) {
        let sum = 0
        for (let k = 0; k <= column; k++) sum += at(start + row, start + k) * at(start + column, start + k)
        precision[row * count + column] = sum
        precision[column * count + row] = sum
        ownRight[row] =
          (ownRight[row] ?? 0) + at(start + row, start + column) * (forward[start + column] ?? 0)
      }
    }
    return { size: count, precision, right: ownRight }
  }
  return { solution, covariance, marginal }
}

function factorize(matrix: Float64Array, size: number): Float64Array {
  const factor = new Float64Array(size * size)
  for (let row = 0; row < size; row++) {
    for (let column = 0; column <= row; column++) {
      let sum = matrix[row * size + column] ?? 0
      for (let k = 0; k < column; k++) sum -= (factor[row * size + k] ?? 0) * (factor[column * size + k] ?? 0)
      factor[row * size + column] =
        row === column ? Math.sqrt(Math.max(sum, 1e-12)) : sum / (factor[column * size + column] ?? 1)
    }
  }
  return factor
}

/** Inverse of the lower right corner of the factor. */
function invertedCorner(factor: Float64Array, size: number, corner: number): Float64Array {
  const first = size - corner
  const inverse = new Float64Array(corner * corner)
  for (let column = 0; column < corner; column++) {
    for (let row = column; row < corner; row++) {
      let sum = row === column ? 1 : 0
      for (let k = column; k < row; k++)
        sum -= (factor[(first + row) * size + first + k] ?? 0) * (inverse[k * corner + column] ?? 0)
      inverse[row * corner + column] = sum / (factor[(first + row) * size + first + row] ?? 1)
    }
  }
  return inverse
}
