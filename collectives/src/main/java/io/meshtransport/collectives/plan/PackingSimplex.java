// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.util.ArrayList;
import java.util.List;

/**
 * The linear program of a packing, {@code max g x, A x <= b, x >= 0}, by the revised simplex method
 * with columns that are generated when needed (Gilmore and Gomory): trees are too many to be
 * listed, but the cheapest for given prices of the rows is found fast. Starts from nothing packed.
 * The same input gives the same result on every machine. One thread.
 */
final class PackingSimplex {
  private static final double TOLERANCE = 1e-9;

  /**
   * Of the capacities: without it those of equal links are used up in one step, again and again.
   */
  private static final double PERTURBATION = 1e-6;

  /** Of a sequence whose fractional parts are spread evenly (Weyl). */
  private static final double GOLDEN = 0.6180339887498949;

  /**
   * A column: what is packed.
   *
   * @param parents of the tree; null for a variable that is none
   * @param gain for each unit packed
   * @param uses by row: for each unit packed
   */
  record Column(int[] parents, double gain, double[] uses) {}

  /** Finds a column that is worth more than it costs. */
  interface Oracle {
    /** A column for prices, none of which is below 0; null if nothing is worth while. */
    Column find(double[] prices);
  }

  private final double[][] inverse;
  private final Column[] basis;
  private final double[] amounts;
  private final double[] prices;
  private final double[] step;

  /** Rows that a column has replaced once: the others' columns of the inverse are unit vectors. */
  private final int[] touched;

  private final boolean[] isTouched;
  private int touchedCount;
  private final int[] used;
  private int pivotsLeft;

  PackingSimplex(double[] capacities) {
    this(capacities, 100 * capacities.length + 10_000);
  }

  /** With a bound of its steps: what is packed then may be less than the best. */
  PackingSimplex(double[] capacities, int steps) {
    int rows = capacities.length;
    inverse = new double[rows][rows];
    basis = new Column[rows];
    amounts = new double[rows];
    prices = new double[rows];
    step = new double[rows];
    touched = new int[rows];
    isTouched = new boolean[rows];
    used = new int[rows];
    pivotsLeft = steps;
    for (int row = 0; row < rows; row++) {
      inverse[row][row] = 1;
      basis[row] = slack(row, rows);
      double shake = (row + 1) * GOLDEN % 1;
      amounts[row] =
          capacities[row] == 0
              ? PERTURBATION * shake
              : capacities[row] * (1 + PERTURBATION * shake);
    }
  }

  private static Column slack(int row, int rows) {
    double[] uses = new double[rows];
    uses[row] = 1;
    return new Column(null, 0, uses);
  }

  /** Packs until the oracle finds nothing, or after so many steps that something is wrong. */
  void solve(Oracle oracle) {
    while (pivotsLeft-- > 0) {
      Column column = cheapestSlack();
      column = column == null ? oracle.find(prices) : column;
      if (column == null || !enter(column)) {
        return;
      }
    }
  }

  /** A row whose price is below 0 had better be used less. */
  private Column cheapestSlack() {
    int best = 0;
    for (int row = 1; row < prices.length; row++) {
      best = prices[row] < prices[best] ? row : best;
    }
    return prices.length > 0 && prices[best] < -TOLERANCE ? slack(best, prices.length) : null;
  }

  private boolean enter(Column column) {
    double worth = column.gain() - product(prices, column.uses());
    multiply(column.uses());
    int leaving = -1;
    double least = Double.POSITIVE_INFINITY;
    for (int row = 0; row < step.length; row++) {
      if (step[row] > TOLERANCE) {
        double ratio = Math.max(0, amounts[row]) / step[row];
        boolean isTie = Math.abs(ratio - least) < TOLERANCE * TOLERANCE;
        if (isTie ? step[row] > step[leaving] : ratio < least) {
          least = ratio;
          leaving = row;
        }
      }
    }
    if (leaving < 0 || worth <= 0) {
      return false;
    }
    pivot(leaving, least);
    basis[leaving] = column;
    for (int i = 0; i < touchedCount; i++) {
      prices[touched[i]] += worth * inverse[leaving][touched[i]];
    }
    return true;
  }

  private void multiply(double[] uses) {
    int count = 0;
    for (int i = 0; i < touchedCount; i++) {
      if (uses[touched[i]] != 0) {
        used[count++] = touched[i];
      }
    }
    for (int row = 0; row < step.length; row++) {
      double[] from = inverse[row];
      double sum = isTouched[row] ? 0 : uses[row];
      for (int i = 0; i < count; i++) {
        sum += from[used[i]] * uses[used[i]];
      }
      step[row] = sum;
    }
  }

  private void pivot(int leaving, double amount) {
    if (!isTouched[leaving]) {
      isTouched[leaving] = true;
      touched[touchedCount++] = leaving;
    }
    double[] from = inverse[leaving];
    double by = step[leaving];
    for (int i = 0; i < touchedCount; i++) {
      from[touched[i]] /= by;
    }
    for (int row = 0; row < step.length; row++) {
      if (row != leaving && step[row] != 0) {
        subtract(inverse[row], step[row], from);
        amounts[row] -= step[row] * amount;
      }
    }
    amounts[leaving] = amount;
  }

  private void subtract(double[] to, double factor, double[] from) {
    for (int i = 0; i < touchedCount; i++) {
      to[touched[i]] -= factor * from[touched[i]];
    }
  }

  static double product(double[] one, double[] other) {
    double sum = 0;
    for (int i = 0; i < one.length; i++) {
      sum += other[i] == 0 ? 0 : one[i] * other[i];
    }
    return sum;
  }

  /** What the packing is worth. */
  double value() {
    double sum = 0;
    for (int row = 0; row < basis.length; row++) {
      sum += basis[row].gain() * amounts[row];
    }
    return sum;
  }

  /** The columns that are packed, and how much of each. */
  List<Packed> packed() {
    List<Packed> packed = new ArrayList<>();
    double least = PERTURBATION * value();
    for (int row = 0; row < basis.length; row++) {
      if (basis[row].parents() != null && amounts[row] > least) {
        packed.add(new Packed(basis[row], amounts[row]));
      }
    }
    return packed;
  }

  /** A column and how much of it is packed. */
  record Packed(Column column, double amount) {}
}
